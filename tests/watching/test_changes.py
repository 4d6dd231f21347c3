from __future__ import annotations

import threading
import time

from code_review_graph.results import FreshnessState, UpdateAction
from code_review_graph.watching.changes import Changes

STOP = threading.Event()


def test_an_update_covers_what_was_noticed_before_it_began() -> None:
    changes = Changes()
    changes.note(["a.py"])
    aim = changes.begin()
    changes.note(["b.py"])
    changes.covered(aim, files=1, seconds=0.01)
    assert not changes.is_open(aim)
    assert changes.is_open()
    stale = changes.freshness(changes.last())
    assert (stale.state, stale.changed_files, stale.action) == (FreshnessState.STALE, 1, UpdateAction.UPDATING)


def test_what_was_taken_in_is_told_once() -> None:
    changes = Changes()
    for path in ("a.py", "b.py"):
        changes.note([path])
        changes.covered(changes.begin(), files=1, seconds=0.02)
    told = changes.freshness(changes.last())
    assert (told.state, told.action, told.updated_files) == (FreshnessState.FRESH, UpdateAction.UPDATED, 2)
    assert told.milliseconds == 40
    assert changes.freshness(changes.last()).action is UpdateAction.NONE


def test_a_failure_is_told_and_a_new_change_is_tried_at_once() -> None:
    changes = Changes()
    changes.note(["a.py"])
    changes.failed(changes.begin(), "no space")
    told = changes.freshness(changes.last())
    assert (told.action, told.hint, told.changed_files) == (UpdateAction.FAILED, "no space", 1)
    assert not changes.await_quiet(STOP, 0, 0)
    changes.note(["b.py"])
    assert changes.await_quiet(STOP, 0, 0)


def test_finding_the_same_again_does_not_try_a_failed_update_again() -> None:
    changes = Changes()
    changes.note_count(3)
    changes.failed(changes.begin(), "no space")
    changes.note_count(3)
    assert not changes.is_open()
    changes.note_count(4)
    assert changes.is_open()


def test_files_that_are_as_they_were_end_a_failure() -> None:
    changes = Changes()
    changes.note_count(1)
    changes.failed(changes.begin(), "no space")
    changes.found_equal(changes.last())
    assert changes.freshness(changes.last()).state is FreshnessState.FRESH


def test_waits_for_one_update_add_up() -> None:
    changes = Changes()
    changes.note(["a.py"])
    _, first = changes.ask()
    _, second = changes.ask()
    assert first == second
    changes.covered(changes.begin())
    changes.note(["a.py"])
    assert changes.ask()[1] > first


def test_a_burst_is_waited_for_but_an_answer_is_not_kept_waiting() -> None:
    changes = Changes()
    changes.note(["a.py"])
    asking = threading.Timer(0.05, changes.ask)
    asking.start()
    began = time.monotonic()
    assert changes.await_quiet(STOP, 60, 60)
    assert time.monotonic() - began < 30
    asking.join()
