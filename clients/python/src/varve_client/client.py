"""The hand-written part of the client: scopes, retries, errors. The operations themselves are generated."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .operations import AsyncOperations, Operations

Message = Mapping[str, Any]

_TRY_AGAIN = frozenset({429, 502, 503, 504})
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 5.0
# The response of slow work arrives when the work is done, and the server stores no answer for a repeated request.
_SLOW = 24 * 3600.0


class VarveError(Exception):
    """An error of the server. ``code`` is for programs, the message for people."""

    def __init__(self, message: str, *, code: str, status: Optional[int] = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retryable = retryable


class _Transport:
    """JSON over HTTP with the standard library. A write carries an idempotency key, so that it can be retried after a lost answer."""

    def __init__(self, url: str, key: str, timeout: float, retries: int) -> None:
        self.url = url.rstrip("/")
        self.key = key
        self.timeout = timeout
        self.retries = retries

    def send(self, method: str, path: str, query: Dict[str, Any], body: Any, idempotency_key: Optional[str], slow: bool = False) -> Any:
        request = self._request(method, path, query, body, idempotency_key)
        retries, timeout = (0, _SLOW) if slow else (self.retries, self.timeout)
        for attempt in range(retries + 1):
            wait = 0.0
            try:
                with urllib.request.urlopen(request, timeout=timeout) as response:
                    return _decoded(response.read())
            except urllib.error.HTTPError as error:
                problem = _problem(error)
                is_last = attempt == retries
                if is_last or not (error.code in _TRY_AGAIN or (error.code == 409 and problem.retryable)):
                    raise problem from None
                wait = float(error.headers.get("retry-after") or 0)
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                if attempt == retries:
                    reason = getattr(error, "reason", error)
                    raise VarveError(f"The server cannot be reached: {reason}", code="store_unavailable", retryable=True) from error
            time.sleep(max(wait, min(_LONGEST_WAIT, _FIRST_WAIT * 2**attempt) * (0.5 + random.random() / 2)))
        raise AssertionError("The loop above returns or raises.")

    def _request(
        self, method: str, path: str, query: Dict[str, Any], body: Any, idempotency_key: Optional[str]
    ) -> urllib.request.Request:
        search = urllib.parse.urlencode({name: _text(value) for name, value in query.items() if value is not None})
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(_without_none(body)).encode()
            headers["Content-Type"] = "application/json"
        if method in ("POST", "PATCH"):
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        address = f"{self.url}{path}{'?' + search if search else ''}"
        return urllib.request.Request(address, data=data, headers=headers, method=method)


def _decoded(data: bytes) -> Any:
    return json.loads(data) if data else None


def _problem(error: urllib.error.HTTPError) -> VarveError:
    try:
        problem = json.loads(error.read())
    except ValueError:
        problem = {}
    return VarveError(
        str(problem.get("detail") or f"The server answered with {error.code}."),
        code=str(problem.get("code") or "internal"),
        status=error.code,
        retryable=bool(problem.get("retryable")),
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value)
    return str(value)


def _without_none(body: Any) -> Any:
    """Omits arguments that were not given; None within a value is kept, because null may have a meaning there."""
    return {name: value for name, value in body.items() if value is not None} if isinstance(body, dict) else body


def _conversation(content: Union[str, Message, Sequence[Message]]) -> Dict[str, List[Message]]:
    if isinstance(content, str):
        return {"messages": [{"role": "user", "content": content}]}
    return {"messages": [content] if isinstance(content, Mapping) else list(content)}


def _scope(agent: Optional[str], user: Optional[str], session: Optional[str], connection: Optional[str]) -> Dict[str, Any]:
    return {"agent": agent, "user": user, "session": session, "connection": connection}


class Memory(Operations):
    """Everything within one scope."""

    def __init__(self, transport: _Transport, scope: Dict[str, Any]) -> None:
        self._transport = transport
        self.scope = scope

    def _call(self, method: str, path: str, *, query: Dict[str, Any], body: Any = None, scoped: bool = True, idempotency_key: Optional[str] = None, slow: bool = False) -> Any:
        asked = {**query, **self.scope} if scoped else query
        return self._transport.send(method, path, asked, body, idempotency_key, slow)

    def add(self, content: Union[str, Message, Sequence[Message]]) -> Any:
        """Logs what was said: a text of the user, a message, or a list of messages ``{"role", "content"}``."""
        return self.observe(_conversation(content))

    def search(self, query: str, *, limit: int = 10) -> List[Dict[str, Any]]:
        """What helps to answer a query, best first; empty when nothing relevant is known."""
        return self.recall(query=query, options={"limit": limit})["results"]


class AsyncMemory(AsyncOperations):
    """Everything within one scope, without blocking the event loop."""

    def __init__(self, transport: _Transport, scope: Dict[str, Any]) -> None:
        self._transport = transport
        self.scope = scope

    async def _call(self, method: str, path: str, *, query: Dict[str, Any], body: Any = None, scoped: bool = True, idempotency_key: Optional[str] = None, slow: bool = False) -> Any:
        asked = {**query, **self.scope} if scoped else query
        return await asyncio.to_thread(self._transport.send, method, path, asked, body, idempotency_key, slow)

    async def add(self, content: Union[str, Message, Sequence[Message]]) -> Any:
        """Logs what was said: a text of the user, a message, or a list of messages ``{"role", "content"}``."""
        return await self.observe(_conversation(content))

    async def search(self, query: str, *, limit: int = 10) -> List[Dict[str, Any]]:
        """What helps to answer a query, best first; empty when nothing relevant is known."""
        return (await self.recall(query=query, options={"limit": limit}))["results"]


class _Client:
    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        """``url`` and ``key`` default to ``$VARVE_URL`` and ``$VARVE_KEY``."""
        address = url or os.environ.get("VARVE_URL") or "http://127.0.0.1:8787"
        secret = key or os.environ.get("VARVE_KEY")
        if not secret:
            raise VarveError("An API key is missing: give `key`, or set VARVE_KEY.", code="invalid_input")
        self._transport = _Transport(address, secret, timeout, retries)


class Varve(_Client):
    """A server. ``varve.memory(user="ana")`` is what is remembered of a user."""

    def memory(self, *, user: Optional[str], agent: Optional[str] = None, session: Optional[str] = None, connection: Optional[str] = None) -> Memory:
        """The memory of a scope. ``user`` is named, or None on purpose for memory that belongs to no user."""
        return Memory(self._transport, _scope(agent, user, session, connection))


class AsyncVarve(_Client):
    """A server, for programs with an event loop."""

    def memory(self, *, user: Optional[str], agent: Optional[str] = None, session: Optional[str] = None, connection: Optional[str] = None) -> AsyncMemory:
        """The memory of a scope. ``user`` is named, or None on purpose for memory that belongs to no user."""
        return AsyncMemory(self._transport, _scope(agent, user, session, connection))
