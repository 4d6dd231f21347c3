"""What text stands for a node when it is embedded."""

from __future__ import annotations

from code_review_graph.model import Node
from code_review_graph.words import split_identifier, words_of

# The first lines of a docstring say what a thing is for; parameters and examples further down dilute the mean.
DOCSTRING_CHARACTERS = 240
# Signatures of a dozen parameters would drown the name.
SIGNATURE_CHARACTERS = 240
# Distinct body words: enough to find what nobody documented in the words of the question; more of them add noise.
BODY_WORDS = 32


def node_text(node: Node, body_words: str = "") -> str:
    """Text of one node: its names in words, where it lives, signature, start of the docstring, body words.

    ``body_words`` are split, lower-cased words as in ``Node.body_words``, which are used when it is empty.
    """
    scope = node.qualified_name.partition("::")[2]
    head = "\n".join(
        (
            " ".join(words_of(scope)),
            " ".join(split_identifier(node.name)),
            node.qualified_name,
            node.signature[:SIGNATURE_CHARACTERS],
            node.docstring[:DOCSTRING_CHARACTERS],
        )
    )
    body = _distinct(body_words or node.body_words, without=head)
    return f"{head}\n{body}" if body else head


def _distinct(words: str, *, without: str) -> str:
    if not words:
        return ""
    known = set(words_of(without))
    fresh = [word for word in dict.fromkeys(words.split()) if len(word) > 1 and word not in known]
    return " ".join(fresh[:BODY_WORDS])
