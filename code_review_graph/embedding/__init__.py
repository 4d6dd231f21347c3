"""Vectors for definitions and questions."""

from code_review_graph.embedding.flow import check_model, embed_nodes, text_hash, text_hashes
from code_review_graph.embedding.protocol import Embedder
from code_review_graph.embedding.providers import load_embedder
from code_review_graph.embedding.text import node_text

__all__ = ["Embedder", "check_model", "embed_nodes", "load_embedder", "node_text", "text_hash", "text_hashes"]
