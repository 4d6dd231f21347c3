"""Vectors for definitions and questions."""

from code_review_graph.embedding.flow import check_model, embed_nodes, text_hash
from code_review_graph.embedding.protocol import Embedder
from code_review_graph.embedding.providers import DEFAULT_PROVIDER, load_embedder
from code_review_graph.embedding.text import node_text

__all__ = ["DEFAULT_PROVIDER", "Embedder", "check_model", "embed_nodes", "load_embedder", "node_text", "text_hash"]
