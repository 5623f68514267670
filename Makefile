# The verbs of tasks.py, for those who type make. Arguments: make test ARGS="-k units"
PYTHON ?= python3
VERBS = help figures docs test fuzz lab format clean lock

.PHONY: $(VERBS)
$(VERBS):
	@$(PYTHON) tasks.py $@ $(ARGS)
