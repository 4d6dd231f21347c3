"""The schema's versions: how a new file is made, and how an older one is brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from code_review_graph.errors import CorruptIndexError, SchemaError

if TYPE_CHECKING:
    from code_review_graph.store.sql import Connection

# "CRGi": what tells our files from every other SQLite file.
APPLICATION_ID: Final = 0x43524769

Migration = Callable[["Connection"], None]


def _add_parts(connection: Connection) -> None:
    """Tables for resolving in part; they are filled when the graph is next made."""
    connection.execute(sql_file("parts.sql"))


# MIGRATIONS[n] takes a file from version n + 1 to n + 2.
MIGRATIONS: Final[tuple[Migration, ...]] = (_add_parts,)
SCHEMA_VERSION: Final = 1 + len(MIGRATIONS)


def sql_file(name: str) -> str:
    """The text of one of the package's SQL files."""
    return files("code_review_graph.store").joinpath(name).read_text(encoding="utf-8")


def create(connection: Connection) -> None:
    """Make all tables in an empty file."""
    connection.pragma("application_id", APPLICATION_ID)
    connection.execute("BEGIN")
    connection.execute(sql_file("schema.sql"))
    connection.execute(sql_file("parts.sql"))
    connection.execute(sql_file("indexes.sql"))
    connection.pragma("user_version", SCHEMA_VERSION)
    connection.execute("COMMIT")


def check_kinds(connection: Connection) -> None:
    """Raise CorruptIndexError for a schema with views or triggers: none is ours, and each runs what somebody wrote."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1").fetchall():
        raise CorruptIndexError("The index has views or triggers, which this program never makes.")


def version_of(connection: Connection) -> int:
    """The file's schema version."""
    return int(connection.pragma("user_version"))


def check_version(connection: Connection, newest: int = SCHEMA_VERSION) -> bool:
    """Whether the file is up to date; False when it has to be migrated. Raises SchemaError for a newer one."""
    version = version_of(connection)
    if version > newest:
        raise SchemaError(f"The index has schema {version}, written by a newer version; this one knows {newest}.")
    return version == newest


def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply the missing migrations, all in one transaction. Raises SchemaError for a version that never was."""
    newest = 1 + len(migrations)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(_known_version(connection), newest):
            migrations[step - 1](connection)
            connection.pragma("user_version", step + 1)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _known_version(connection: Connection) -> int:
    version = version_of(connection)
    if version < 1:
        raise SchemaError(f"The index has schema {version}, which no version wrote.")
    return version
