"""Rigs that measure the product against truths it did not make; see README.md."""
