"""What the column `method` says; `docs/methods.md` has what each is for, and how it can fail."""

WELCH, PAIRED = "Welch t of logarithms", "paired t of logarithms"
POOLED = "pooled t of logarithms"  # over the sides of a sweep
BY_CELL, ANY_LOOKS = ", by cell", ", any looks"  # stand behind these
PREDICTION = "prediction of one more"
RANGE = "range of the history"  # that predicts nothing
OF_MEANS = "Welch t of two means"
LOG_T, PLAIN_T = "t of logarithms", "t"
BATCHES = "batch means"
