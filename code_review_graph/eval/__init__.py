"""The harness: task files replayed against the very functions that agents call, so that quality is a number."""
