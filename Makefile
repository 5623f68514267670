# The verbs of tasks.py, for those who type make. Arguments: make test ARGS="-k units"
# Figures in Japanese, in figures/ja/: make figures LANG_FIGURES=ja
# Benchmarks on small inputs, below three minutes: make bench QUICK=1
PYTHON ?= python3
VERBS = help figures docs test build fuzz bench lab format clean lock

.PHONY: $(VERBS)
$(VERBS):
	@$(PYTHON) tasks.py $@ $(ARGS)
