"""The index file: the only place that speaks SQL."""

from code_review_graph.store.records import EmbeddingModel, FileRecord, GraphCounts, IndexInfo, StoredFile
from code_review_graph.store.store import Store

__all__ = ["EmbeddingModel", "FileRecord", "GraphCounts", "IndexInfo", "Store", "StoredFile"]
