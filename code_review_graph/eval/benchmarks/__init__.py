"""One module a benchmark: its task model, its row model and its run."""
