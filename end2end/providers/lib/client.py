"""A client of `aide mcp` by the Python library: plays one scenario in the project of its working folder, and fails where it
is not as it should be.

    client.py AIDE MODE SCENARIO

MODE is how the library begins: `legacy`, or `auto`, by which it speaks the newest revision.
"""
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Literal

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import ClientExtension, ResultClaim
from mcp_types import CallToolResult, ElicitResult, Request, RequestParams, Result

AIDE, MODE, SCENARIO = sys.argv[1:]
IS_MODERN = MODE == 'auto'
DECISIONS = Path('.aide/decisions')
ANSWERED = ['The second']


class Failed(Exception):
    """Something is not as it should be."""


def check(is_so: bool, *found: Any) -> None:
    if not is_so:
        raise Failed(*found)


def equal(found: Any, expected: Any) -> None:
    check(found == expected, f'{found!r} is not {expected!r}')


def items(title: str) -> list[dict[str, Any]]:
    return [{'id': 1, 'title': title, 'options': [{'value': 'a', 'label': 'The first'}, {'value': 'b', 'label': 'The second'}]}]


def questions(task: str, **others: Any) -> dict[str, Any]:
    return {'task': task, 'source': 'notes.md', 'items': items(f'Which {task}?'), **others}


@contextlib.asynccontextmanager
async def begun(server: StdioServerParameters | str, **options: Any):
    """A client that has begun by the revision that it should."""
    async with Client(server, mode=MODE, **options) as client:
        equal(client.protocol_version, '2026-07-28' if IS_MODERN else '2025-11-25')
        yield client


def connect(*args: str, **options: Any):
    """A client with an `aide mcp` of its own."""
    server = StdioServerParameters(command=AIDE, args=['mcp', *args], env=dict(os.environ), cwd=os.getcwd())
    return begun(server, **options)


@contextlib.asynccontextmanager
async def connect_http():
    """A client of `aide mcp --http`."""
    server = await asyncio.create_subprocess_exec(AIDE, 'mcp', '--http', '--port', '0', stdout=subprocess.PIPE)
    try:
        line = await server.stdout.readline()
        link = re.search(r'http:\S+', line.decode())
        async with begun(link[0]) as client:
            yield client
    finally:
        server.kill()
        await server.wait()


async def call(client: Client, tool: str, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, **options)
    check(not result.is_error, result)
    # The text says the same.
    equal(json.loads(result.content[0].text), result.structured_content)
    return result.structured_content


def is_open(session: str) -> bool:
    return (DECISIONS / 'open' / f'{session}.json').exists()


def standings(session: str) -> list[str]:
    """What those that asked for a session were told last."""
    receipt = json.loads((DECISIONS / 'receipts' / f'{session}.json').read_text())
    return [asker['standing'] for asker in receipt['askers'].values()]


async def until(is_so, what: str) -> None:
    for _ in range(3000):
        if is_so():
            return
        await asyncio.sleep(0.02)
    raise Failed(what)


async def opened() -> str:
    """Waits for the one session that is open, on a page; the session."""
    folder = DECISIONS / 'open'
    names = lambda: [path.stem for path in folder.glob('*.json') if 'draft' not in path.name]
    await until(lambda: (DECISIONS / 'server.json').exists() and len(names()) == 1, 'nothing is open')
    return names()[0]


async def answer(session: str) -> None:
    """Answers in a terminal, as the person."""
    command = [AIDE, 'decide', 'answer', session]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = await process.communicate(b'2\nbecause\ny\n')
    check(process.returncode == 0, said.decode())


def page(link: str) -> None:
    """The page is there."""
    with urllib.request.urlopen(link) as response:
        equal(response.status, 200)


def is_answer(told: dict[str, Any], session: str) -> None:
    equal((told['status'], told['session_id']), ('answered', session))
    equal((told['answers'][0]['labels'], told['answers'][0]['note']), (ANSWERED, 'because'))


async def ask() -> None:
    """Asks without waiting, and fetches the answer."""
    async with connect() as client:
        equal(len((await client.list_tools()).tools), 8)
        told = await call(client, 'decide_submit', questions('ask', wait=False))
        equal(told['status'], 'pending')
        page(told['url'])
        session = told['session_id']
        equal((await call(client, 'decide_result', {'session_id': session}))['status'], 'pending')
        await answer(session)
        is_answer(await call(client, 'decide_result', {'session_id': session}), session)
        equal((await call(client, 'decide_list', {'query': 'ask'}))['decisions'][0]['session_id'], session)


async def over_http() -> None:
    """The same over HTTP, where the call is held."""
    async with connect_http() as client:
        asking = asyncio.create_task(call(client, 'decide_submit', questions('http')))
        session = await opened()
        await answer(session)
        is_answer(await asking, session)


async def hold() -> None:
    """The call is held until the person answers, or the time is up; then it is gone on with."""
    async with connect() as client:
        asking = asyncio.create_task(call(client, 'decide_submit', questions('hold')))
        session = await opened()
        await asyncio.sleep(1)
        check(not asking.done(), 'it was not held')
        await answer(session)
        told = await asking
        is_answer(told, session)
    async with connect('--hold', '1') as client:
        told = await call(client, 'decide_submit', questions('short'))
        equal(told['status'], 'pending')
        check(told['waited_seconds'] >= 1, told)
        waiting = asyncio.create_task(call(client, 'decide_wait', {'session_id': told['session_id'], 'timeout_seconds': 30}))
        await answer(told['session_id'])
        is_answer(await waiting, told['session_id'])


async def progress() -> None:
    """The link comes at once, and a sign every ten seconds."""
    seen = []

    async def note(done: float, _total: float | None, message: str | None) -> None:
        seen.append((time.monotonic(), done, message))

    async with connect() as client:
        began = time.monotonic()
        asking = asyncio.create_task(call(client, 'decide_submit', questions('progress'), progress_callback=note))
        session = await opened()
        await until(lambda: seen, 'no progress')
        page(re.search(r'http://localhost:\d+', seen[0][2])[0])
        await until(lambda: len(seen) > 1, 'no second progress')
        # It counts from when the call is held.
        check(10 <= seen[1][0] - began <= 20, seen, began)
        check(seen[1][1] > seen[0][1], seen)
        await answer(session)
        is_answer(await asking, session)
        at_the_end = len(seen)
        await asyncio.sleep(0.2)
        equal(len(seen), at_the_end)


class TaskResult(Result):
    """What a call gives whose waiting is a task."""

    result_type: Literal['task']
    task_id: str
    status: str


class TaskParams(RequestParams):
    task_id: str


class GetTask(Request[TaskParams, Literal['tasks/get']]):
    method: Literal['tasks/get'] = 'tasks/get'
    params: TaskParams
    name_param = 'taskId'


class CancelTask(Request[TaskParams, Literal['tasks/cancel']]):
    method: Literal['tasks/cancel'] = 'tasks/cancel'
    params: TaskParams
    name_param = 'taskId'


class TaskState(Result):
    task_id: str
    status: str
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    """The extension for tasks: asks how each stands until it is completed."""

    identifier = 'io.modelcontextprotocol/tasks'

    def __init__(self) -> None:
        self.states: list[str] = []

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type='task', model=TaskResult, resolve=self.resolve)]

    async def resolve(self, task: TaskResult, context: Any) -> CallToolResult:
        while True:
            state = await context.session.send_request(GetTask(params=TaskParams(task_id=task.task_id)), TaskState)
            self.states.append(state.status)
            if state.status != 'working':
                equal(state.status, 'completed')
                return CallToolResult.model_validate(state.result)
            await asyncio.sleep(0.1)


async def task() -> None:
    """With the extension for tasks the call becomes one; where the revision has none, it is held."""
    tasks = Tasks()
    async with connect(extensions=[tasks]) as client:
        check(Tasks.identifier in (client.server_capabilities.extensions or {}), client.server_capabilities)
        asking = asyncio.create_task(call(client, 'decide_submit', questions('task')))
        session = await opened()
        if IS_MODERN:
            await until(lambda: tasks.states, 'it became no task')
        await answer(session)
        is_answer(await asking, session)
        if not IS_MODERN:
            equal(tasks.states, [])
            return
        equal((tasks.states[0], tasks.states[-1]), ('working', 'completed'))
        # Cancelling one ends the waiting, and not the questions.
        made = await client.session.call_tool('decide_submit', questions('other'), allow_claimed=True)
        equal((made.result_type, made.status), ('task', 'working'))
        session = await opened()
        params = TaskParams(task_id=made.task_id)
        await client.session.send_request(CancelTask(params=params), Result)
        equal((await client.session.send_request(GetTask(params=params), TaskState)).status, 'cancelled')
        check(is_open(session), 'the questions are gone')
        await answer(session)
        is_answer(await call(client, 'decide_result', {'session_id': session}), session)


async def time_out() -> None:
    """A client whose time is up loses nothing."""
    async with connect() as client:
        try:
            await call(client, 'decide_submit', questions('late'), read_timeout_seconds=1)
        except MCPError as error:
            check('timed out' in error.message.lower(), error)
        else:
            raise Failed('the time was never up')
        session = await opened()
        await until(lambda: standings(session) == ['went_on'], 'it waits on')
        await answer(session)
        is_answer(await call(client, 'decide_wait', {'session_id': session}), session)


async def re_attach() -> None:
    """The same questions by another process are the same session, open or answered meanwhile."""
    async with connect() as client:
        first = await call(client, 'decide_submit', questions('again', wait=False))
    session = first['session_id']
    check(is_open(session), 'the questions are gone')
    async with connect() as client:
        asking = asyncio.create_task(call(client, 'decide_submit', questions('again')))
        await until(lambda: 'waits' in standings(session), 'it does not wait')
        equal(await opened(), session)
        await answer(session)
        is_answer(await asking, session)
    async with connect() as client:
        first = await call(client, 'decide_submit', questions('away', wait=False))
    await answer(first['session_id'])
    async with connect() as client:
        is_answer(await call(client, 'decide_submit', questions('away')), first['session_id'])


async def cancel() -> None:
    """A call that is cancelled ends the waiting; `decide_cancel` ends the questions."""
    async with connect() as client:
        asking = asyncio.create_task(call(client, 'decide_submit', questions('cancel')))
        session = await opened()
        await until(lambda: standings(session) == ['waits'], 'it does not wait')
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
        check(asking.cancelled(), 'it was not cancelled')
        await until(lambda: standings(session) == ['went_on'], 'it waits on')
        check(is_open(session), 'the questions are gone')
        await answer(session)
        is_answer(await call(client, 'decide_result', {'session_id': session}), session)
        other = await call(client, 'decide_submit', questions('withdrawn', wait=False))
        told = await call(client, 'decide_cancel', {'session_id': other['session_id']})
        equal((told['status'], is_open(other['session_id'])), ('cancelled', False))


async def elicit() -> None:
    """The client shows the link; that it was accepted is no answer."""
    shown = []
    answering = []

    async def show(_context: Any, params: Any) -> ElicitResult:
        shown.append((params.mode, params.url))
        # The person takes a moment to say that the page may be opened, and answers there later.
        await asyncio.sleep(1.2)

        async def later() -> str:
            await asyncio.sleep(0.5)
            session = await opened()
            await answer(session)
            return session

        answering.append(asyncio.create_task(later()))
        return ElicitResult(action='accept')

    async with connect('--elicit', 'url', elicitation_callback=show) as client:
        told = await call(client, 'decide_submit', questions('elicit'))
        equal([mode for mode, _ in shown], ['url'])
        check(re.fullmatch(r'http://localhost:\d+/?(d/[^/]+/?)?', shown[0][1]) is not None, shown)
        is_answer(told, await answering[0])


async def queue() -> None:
    """What is asked while something is open waits for its turn."""
    async with connect() as client:
        first = await call(client, 'decide_submit', questions('first', wait=False))
        second = await call(client, 'decide_submit', questions('second', wait=False))
        equal((first['status'], second['status']), ('pending', 'queued'))
        waiting = asyncio.create_task(call(client, 'decide_wait', {'session_id': second['session_id']}))
        await answer(first['session_id'])
        is_answer(await call(client, 'decide_result', {'session_id': first['session_id']}), first['session_id'])
        equal((await call(client, 'decide_result', {'session_id': second['session_id']}))['status'], 'pending')
        check(not waiting.done(), 'the second was answered by the first')
        await answer(second['session_id'])
        is_answer(await waiting, second['session_id'])


async def amend() -> None:
    """Questions that are corrected are another session; of the first one it is known what became of it."""
    async with connect() as client:
        first = await call(client, 'decide_submit', questions('amend', wait=False))
        corrected = {**questions('amend'), 'items': items('Better?'), 'session_id': first['session_id']}
        second = await call(client, 'decide_amend', corrected)
        check(second['session_id'] != first['session_id'], second)
        equal((await call(client, 'decide_result', {'session_id': first['session_id']}))['status'], 'replaced')
        equal(await opened(), second['session_id'])
        await answer(second['session_id'])
        told = await call(client, 'decide_wait', {'session_id': second['session_id']})
        is_answer(told, second['session_id'])
        equal(told['answers'][0]['title'], 'Better?')


SCENARIOS = {
    'ask': ask,
    'ask over HTTP': over_http,
    'hold': hold,
    'progress': progress,
    'task': task,
    'time-out': time_out,
    're-attach': re_attach,
    'cancel': cancel,
    'elicit': elicit,
    'queue': queue,
    'amend': amend,
}

asyncio.run(SCENARIOS[SCENARIO]())
print(f'{SCENARIO} is as it should be')
