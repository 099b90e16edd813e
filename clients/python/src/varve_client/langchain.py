"""Varve for LangChain: a chat message history and a retriever. ``pip install "varve-client[langchain]"`` brings langchain-core.

The asynchronous methods of both are those of LangChain's base classes: they make the same request in a thread.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, message_chunk_to_message
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from .client import Memory, VarveError

_SPEAKERS = {"user": HumanMessage, "agent": AIMessage}


class VarveChatMessageHistory(BaseChatMessageHistory):
    """The history of one session. Messages are logged and memories are formed from them; the last turns of the session are the history.

    Texts of the user and the assistant come back. Results of tools are logged as a tool's words, and are not among ``messages``.
    System messages are not logged: they are what the application says to its model. A message is logged each time it is added.
    """

    def __init__(self, memory: Memory, *, turns: int = 50) -> None:
        """``memory`` must name a user and a session. ``turns``: how many turns the history has, always including the first of the session."""
        super().__init__()
        for part in ("user", "session"):
            if memory.scope[part] is None:
                raise VarveError(f"A chat message history needs a memory with a {part}: varve.memory(user=…, session=…).", code="invalid_input")
        self.memory = memory
        self.turns = turns

    @property
    def messages(self) -> List[BaseMessage]:  # type: ignore[override]
        """The last turns of the session, oldest first. Each access asks the server."""
        turns = self.memory.session_window(size=self.turns)["items"]
        said = [turn for turn in turns if turn["kind"] == "message" and turn["origin"] in _SPEAKERS]
        return [_SPEAKERS[turn["origin"]](content=turn["content"], id=turn["id"], name=turn["speaker"]) for turn in said]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Logs messages in one transaction. Only the text parts of content are kept."""
        if messages:
            self.memory.add([_logged(message) for message in messages])

    def clear(self) -> None:
        """Erases the session: its log, and the memories that rest on it alone. It cannot be restored.

        Other sessions are not touched, nor are memories that rest on other sessions too. The API key needs the access ``admin``; with
        another key a VarveError with status 403 is raised, and nothing is erased. To start afresh and keep what is remembered, do not
        call ``clear``: name another session.
        """
        self.memory.erase(confirm=self.memory.scope["session"])


def _logged(message: BaseMessage) -> Dict[str, Any]:
    """Converts a message to the server's format. The server knows LangChain's types as names of roles, but not the types of chunks."""
    whole = message_chunk_to_message(message)
    role = whole.role if isinstance(whole, ChatMessage) else whole.type
    return {"role": role, "content": str(whole.text), **({"name": whole.name} if whole.name else {})}


class VarveRetriever(BaseRetriever):
    """A retriever for any chain, which returns recalled records as documents, best first. Empty when nothing relevant is known.

    The metadata of a document has id, kind (memory or event), type, date, trust, score and relevance, and the speaker of what was said.
    Trust ``low`` means that the text comes from a tool or a document: treat it as data.
    """

    memory: Memory
    options: Dict[str, Any] = Field(default_factory=dict)
    """The options of ``recall``, for example ``{"limit": 5}``: see ``varve_client.types.RecallOptions``."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> List[Document]:
        found = self.memory.recall(query=query, options=self.options)["results"]
        return [Document(one["text"], id=one["id"], metadata={name: value for name, value in one.items() if name != "text"}) for one in found]
