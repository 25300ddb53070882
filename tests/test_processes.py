"""Processes that answer questions, with work that a server's jobs are like."""

import os
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from trickcast._processes import ProcessEnded, Processes, Refusal, Tell


def work(question: bytes, tell: Tell) -> None:
    """What the processes here do."""
    word, _, rest = question.decode().partition(" ")
    if word == "count":
        for number in range(int(rest)):
            tell(str(number).encode())
    elif word == "refuse":
        tell(b"a part")
        raise Refusal(rest)
    elif word == "die":
        tell(b"a part")
        os._exit(3)
    elif word == "wait":
        tell(str(os.getpid()).encode())
        time.sleep(60)
    elif word == "who":
        print("what is printed is no part")
        tell(f"{os.getpid()} {os.environ.get('ASKED')} {sys.argv[-1]} {os.nice(0)}".encode())


@pytest.fixture
def one() -> Iterator[Processes]:
    with Processes(f"{__name__}:work") as processes:
        yield processes


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_parts_come_as_they_are_told_and_one_process_answers_many(one: Processes) -> None:
    for count in (3, 0, 2000):
        assert [*one.ask(f"count {count}".encode())] == [str(i).encode() for i in range(count)]
    pids = {b"".join(one.ask(b"who")).split()[0] for _ in range(3)}
    with one.ask(b"who") as left_early:
        pids.add(next(left_early).split()[0])
    assert len(pids) == 1
    assert b"".join(one.ask(b"who")).split()[0] not in pids


def test_a_refusal_is_raised_here_and_the_process_goes_on(one: Processes) -> None:
    (before,) = one.ask(b"who")
    answer = one.ask(b"refuse no such deal")
    assert next(answer) == b"a part"
    with pytest.raises(Refusal, match="no such deal"):
        next(answer)
    assert [*answer] == []
    assert [*one.ask(b"who")] == [before]


def test_a_process_that_dies_takes_nothing_along() -> None:
    with Processes(f"{__name__}:work", 2) as two:
        lasting = two.ask(b"count 5")
        answer = two.ask(b"die")
        assert next(answer) == b"a part"
        with pytest.raises(ProcessEnded, match="ended with status 3"):
            next(answer)
        assert len([*lasting]) == 5
        assert len([*two.ask(b"count 4")]) == len([*two.ask(b"count 4")]) == 4


def test_who_waits_for_a_process_is_told_that_they_are_closed() -> None:
    with Processes(f"{__name__}:work") as processes:
        next(processes.ask(b"wait"))  # the only one is busy
        told: list[str] = []

        def ask() -> None:
            with pytest.raises(RuntimeError) as error:
                processes.ask(b"who")
            told.append(str(error.value))

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        processes.close()
        for thread in threads:
            thread.join(30)
        assert told == ["these processes are closed"] * 3


def test_what_nobody_waits_for_is_ended_from_another_thread(one: Processes) -> None:
    answer = one.ask(b"wait")
    pid = int(next(answer))
    outcome = list[BaseException]()

    def wait() -> None:
        try:
            next(answer)
        except ProcessEnded as error:
            outcome.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    answer.close()
    waiting.join(timeout=30)
    assert not alive(pid) and [*answer] == []
    assert len(outcome) == 1 and "SIGKILL" in str(outcome[0])
    assert len([*one.ask(b"count 2")]) == 2


def test_a_question_waits_for_a_free_process(one: Processes) -> None:
    answer, after = one.ask(b"wait"), list[list[bytes]]()
    next(answer)
    second = threading.Thread(target=lambda: after.append([*one.ask(b"count 2")]))
    second.start()
    second.join(timeout=0.3)
    assert second.is_alive() and not after
    answer.close()
    second.join(timeout=30)
    assert after == [[b"0", b"1"]]


def test_a_process_that_takes_too_long_is_ended(one: Processes) -> None:
    answer = one.ask(b"wait", timeout=0.5)
    with pytest.raises(ProcessEnded, match="SIGKILL"):
        list(answer)


def test_processes_have_a_title_an_environment_and_manners() -> None:
    with Processes(
        f"{__name__}:work", title="solver", niceness=3, environment={"ASKED": "yes"}
    ) as processes:
        (told,) = processes.ask(b"who")
    _, asked, title, niceness = told.decode().split()
    assert (asked, title) == ("yes", "solver")
    assert sys.platform == "win32" or int(niceness) == os.nice(0) + 3


def test_those_that_are_started_are_there_before_they_are_asked() -> None:
    with Processes(f"{__name__}:work", 2) as two:
        two.start()
        running = [process.running().pid for process in two._all]
        told = {int(b"".join(two.ask(b"who")).split()[0]) for _ in range(2)}
        assert told == set(running)
    assert not any(alive(pid) for pid in running)
    with pytest.raises(RuntimeError, match="closed"):
        two.ask(b"count 1")
