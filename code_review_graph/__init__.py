"""A local code graph for coding agents: definitions, true relations, tests and search in one SQLite file."""

__version__ = "0.1.0"
