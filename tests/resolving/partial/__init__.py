"""Tests of resolving in part."""
