"""The order of jobs, at once and in the thread, without a crawl."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from functools import partial

import pytest

from dedup_middleware.plugin.queue import JobQueue, OverdueError
from tests.support.patience import PATIENCE


def steps(coroutine) -> int:
    """Count how often a coroutine suspends."""
    suspended = 0
    try:
        while True:
            coroutine.send(None)
            suspended += 1
    except StopIteration:
        return suspended


def test_a_job_at_once_does_not_suspend_and_starts_no_thread():
    queue, done = JobQueue(), []
    assert steps(queue.run(partial(done.append, 1), at_once=True)) == 0
    assert done == [1]
    assert queue._thread is None


def test_jobs_at_once_queue_behind_those_of_the_thread():
    async def main() -> list[str]:
        queue, gate, done = JobQueue(), threading.Event(), []

        def large() -> None:
            gate.wait()
            done.append(f"large in {threading.current_thread().name}")

        def small(number: int) -> None:
            done.append(f"{number} in {threading.current_thread().name}")

        first = asyncio.create_task(queue.run(large))
        await asyncio.sleep(0)
        second = asyncio.create_task(queue.run(partial(small, 2), at_once=True))
        await asyncio.sleep(0)
        assert not queue.is_idle
        third = asyncio.create_task(queue.run(partial(small, 3)))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, second, third)
        assert queue.is_idle
        await queue.run(partial(small, 4), at_once=True)
        queue.stop()
        return done

    assert asyncio.run(main()) == [
        "large in dedup",
        "2 in MainThread",
        "3 in dedup",
        "4 in MainThread",
    ]


def test_results_come_in_the_order_of_the_jobs():
    async def main() -> list[int]:
        queue, done = JobQueue(), []

        async def one(number: int) -> None:
            done.append(await queue.run(lambda: number, at_once=number % 7 > 0))

        await asyncio.gather(*map(one, range(50)))
        queue.stop()
        return done

    assert asyncio.run(main()) == list(range(50))


@pytest.mark.parametrize("at_once", [True, False])
def test_an_error_in_a_job_is_raised_and_the_next_job_is_done(at_once):
    async def main() -> int:
        queue = JobQueue()
        with pytest.raises(ZeroDivisionError):
            await queue.run(lambda: 1 // 0, at_once=at_once)
        found = await queue.run(lambda: 1, at_once=at_once)
        queue.stop()
        return found

    assert asyncio.run(main()) == 1


def test_cases_that_wait_in_the_thread_are_done_together():
    async def main() -> tuple[list[object], list[list[int]]]:
        queue, gate, groups = JobQueue(), threading.Event(), []

        def halves(numbers: list[int]) -> list[int | Exception]:
            groups.append(numbers)
            return [ValueError(one) if one % 2 else one // 2 for one in numbers]

        tasks = [asyncio.create_task(queue.run(gate.wait))]
        tasks += [asyncio.create_task(queue.run_case(halves, one)) for one in (2, 3, 4)]
        tasks += [asyncio.create_task(queue.run(lambda: "alone"))]
        tasks += [asyncio.create_task(queue.run_case(halves, 6))]
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # they are with the thread, which is at the first
        gate.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        found.append(await queue.run_case(halves, 8, at_once=True))
        queue.stop()
        return found, groups

    (_, *found), groups = asyncio.run(main())
    assert [str(one) for one in found] == ["1", "3", "2", "alone", "3", "4"]
    assert isinstance(found[1], ValueError)
    assert groups == [[2, 3, 4], [6], [8]]


def test_cases_of_two_functions_pass_each_other_but_no_other_job():
    async def main() -> list[object]:
        queue, gate, done = JobQueue(), threading.Event(), []

        def pages(cases: list[int]) -> list[object]:
            done.append(cases)
            return [*cases]

        def questions(cases: list[str]) -> list[object]:
            done.append(cases)
            return [*cases]

        queue.submit(gate.wait)
        await asyncio.sleep(0)
        for number in range(6):
            for function, case in ((pages, number), (questions, f"about {number}")):
                queue.submit_case(function, case, at_once=False, then=str)
            if number == 2:
                queue.submit(partial(done.append, "settled"))
        gate.set()
        await queue.run(partial(done.append, "end"))
        queue.stop()
        return done

    assert asyncio.run(main()) == [
        [0, 1, 2],
        ["about 0", "about 1", "about 2"],
        "settled",
        [3, 4, 5],
        ["about 3", "about 4", "about 5"],
        "end",
    ]


def test_nobody_waits_for_an_overdue_job_nor_behind_it():
    async def main() -> tuple[list[str], list[str]]:
        queue, gate, late, done = JobQueue(deadline=0.05), threading.Event(), [], []
        handed_over: Future[None] = Future()

        def endless(_: list[None]) -> list[str | Exception]:
            gate.wait()
            return ["late"]

        def hand_over(result: str) -> None:
            late.append(result)
            handed_over.set_result(None)

        waiting = [
            asyncio.create_task(queue.run_case(endless, None, late=hand_over)),
            asyncio.create_task(queue.run(partial(done.append, "behind"), at_once=True)),
        ]
        for task in waiting:
            with pytest.raises(OverdueError):
                await task
        with pytest.raises(OverdueError):
            await queue.run(partial(done.append, "new"), at_once=True)
        assert not queue.is_idle
        gate.set()
        await asyncio.wrap_future(handed_over)
        await queue.run(lambda: None)  # behind it
        await queue.run(partial(done.append, "after"), at_once=True)
        queue.stop()
        return late, done

    assert asyncio.run(main()) == (["late"], ["after"])


def test_the_thread_ends_when_its_jobs_are_done():
    queue, done = JobQueue(), []

    async def main() -> None:
        await queue.run(partial(done.append, 1))
        queue.stop()

    asyncio.run(main())
    assert queue._thread is not None
    queue._thread.join(PATIENCE)
    assert not queue._thread.is_alive()
    assert done == [1]
