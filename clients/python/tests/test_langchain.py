"""The LangChain adapters against the real langchain-core and a running server, like test_client.py."""

import asyncio
import contextlib
import importlib.util
import io
import pathlib
import re
import unittest
import uuid

from varve_client import Varve, VarveError

missing = importlib.util.find_spec("langchain_core") is None
if not missing:
    from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
    from langchain_core.runnables import RunnableLambda

    from varve_client.langchain import VarveChatMessageHistory, VarveRetriever


def somebody() -> str:
    return f"langchain-{uuid.uuid4()}"


@unittest.skipIf(missing, "langchain-core is not installed")
class ChatMessageHistory(unittest.TestCase):
    def test_what_was_said_comes_back_in_order(self) -> None:
        user = somebody()
        history = VarveChatMessageHistory(Varve().memory(user=user, session="monday"))
        self.assertEqual(history.messages, [])
        history.add_messages([HumanMessage("My parrot is called Kiki.", name="Ana"), AIMessage("Hello Kiki.")])
        history.add_user_message("She likes apples.")
        again = VarveChatMessageHistory(Varve().memory(user=user, session="monday")).messages
        self.assertEqual([one.type for one in again], ["human", "ai", "human"])
        self.assertEqual([one.text for one in again], ["My parrot is called Kiki.", "Hello Kiki.", "She likes apples."])
        self.assertEqual(again[0].name, "Ana")
        self.assertEqual(VarveChatMessageHistory(Varve().memory(user=user, session="friday")).messages, [])

    def test_every_kind_of_message_is_logged_as_what_it_is(self) -> None:
        memory = Varve().memory(user=somebody(), session="monday")
        history = VarveChatMessageHistory(memory)
        history.add_messages([])
        history.add_messages([SystemMessage("Be brief.")])
        call = {"name": "weather", "args": {}, "id": "1"}
        history.add_messages(
            [
                HumanMessage([{"type": "text", "text": "What is this?"}, {"type": "image", "base64": "AAAA", "mime_type": "image/png"}]),
                AIMessage("", tool_calls=[call]),
                ToolMessage("Rain in Graz.", tool_call_id="1", name="weather"),
                AIMessageChunk("It rains."),
                ChatMessage("Thanks.", role="user"),
            ]
        )
        logged = memory.list_events(order="oldest")["items"]
        self.assertEqual([event["origin"] for event in logged], ["user", "tool", "agent", "user"])
        self.assertEqual([one.text for one in history.messages], ["What is this?", "It rains.", "Thanks."])
        with self.assertRaises(VarveError) as refused:
            history.add_messages([HumanMessage("Not logged either."), RemoveMessage(id="1")])
        self.assertEqual(refused.exception.code, "invalid_input")
        self.assertEqual(len(history.messages), 3)

    def test_turns_bound_the_history(self) -> None:
        memory = Varve().memory(user=somebody(), session="monday")
        VarveChatMessageHistory(memory).add_messages([HumanMessage(f"Turn {index}") for index in range(6)])
        self.assertEqual([one.text for one in VarveChatMessageHistory(memory, turns=3).messages], ["Turn 0", "Turn 4", "Turn 5"])

    def test_clear_erases_this_session_alone(self) -> None:
        user = somebody()
        monday = VarveChatMessageHistory(Varve().memory(user=user, session="monday"))
        friday = VarveChatMessageHistory(Varve().memory(user=user, session="friday"))
        monday.add_user_message("My parrot is called Kiki.")
        friday.add_user_message("My cat is called Tom.")
        for history in (monday, friday):
            history.add_user_message("I live in Graz.")
            history.memory.form()

        def known(name: str) -> bool:
            found = VarveRetriever(memory=Varve().memory(user=user)).invoke(f"{name} the pet")
            return any(name in one.page_content for one in found)

        self.assertTrue(known("Kiki") and known("Tom"))
        monday.clear()
        self.assertEqual(monday.messages, [])
        self.assertFalse(known("Kiki"))
        self.assertEqual([one.text for one in friday.messages], ["My cat is called Tom.", "I live in Graz."])
        remembered = [one["content"] for one in Varve().memory(user=user).list_memories()["items"]]
        self.assertEqual([("Graz" in one, "Kiki" in one) for one in remembered if "Tom" not in one], [(True, False)])
        self.assertTrue(known("Tom"))
        monday.add_user_message("A new beginning.")
        self.assertEqual([one.text for one in monday.messages], ["A new beginning."])

    def test_clear_needs_a_key_that_may_erase(self) -> None:
        scope = {"user": somebody(), "session": "monday"}
        secret = Varve().memory(user=None).create_key(name="langchain", access="write")["secret"]
        history = VarveChatMessageHistory(Varve(key=secret).memory(**scope))
        history.add_user_message("Still here.")
        with self.assertRaises(VarveError) as denied:
            history.clear()
        self.assertEqual(denied.exception.status, 403)
        self.assertEqual(len(history.messages), 1)

    def test_a_user_and_a_session_are_needed(self) -> None:
        for scope in ({"user": None, "session": "monday"}, {"user": "ana"}):
            with self.assertRaises(VarveError) as caught:
                VarveChatMessageHistory(Varve().memory(**scope))
            self.assertEqual(caught.exception.code, "invalid_input")


@unittest.skipIf(missing, "langchain-core is not installed")
class Retriever(unittest.IsolatedAsyncioTestCase):
    def test_documents_say_where_they_come_from(self) -> None:
        memory = Varve().memory(user=somebody(), session="monday")
        made = memory.create_memory(memory={"type": "fact", "content": "Keeps bees in Graz."})["memory"]
        memory.add({"role": "assistant", "content": "The bees made much honey."})
        found = {one.page_content: one for one in VarveRetriever(memory=memory).invoke("bees")}
        fact, said = found["Keeps bees in Graz."], found["The bees made much honey."]
        self.assertEqual((fact.id, fact.metadata["id"]), (made["id"], made["id"]))
        self.assertEqual([fact.metadata[name] for name in ("kind", "type", "date")], ["memory", "fact", made["statedAt"]])
        self.assertEqual([said.metadata[name] for name in ("kind", "type", "speaker")], ["event", "message", "agent"])
        for one in (fact, said):
            self.assertGreater(one.metadata["score"], 0)
            self.assertNotIn("text", one.metadata)
        self.assertEqual(len(VarveRetriever(memory=memory, options={"limit": 1}).invoke("bees")), 1)
        self.assertEqual(VarveRetriever(memory=Varve().memory(user=somebody())).invoke("bees"), [])

    async def test_both_work_within_an_event_loop(self) -> None:
        memory = Varve().memory(user=somebody(), session="monday")
        history = VarveChatMessageHistory(memory)
        await history.aadd_messages([HumanMessage("My parrot is called Kiki."), AIMessage("Hello Kiki.")])
        self.assertEqual(len(await history.aget_messages()), 2)
        chain = VarveRetriever(memory=memory) | RunnableLambda(lambda documents: [one.page_content for one in documents])
        asked = await asyncio.gather(*(chain.ainvoke("parrot Kiki") for _ in range(4)))
        self.assertTrue(all("Kiki" in " ".join(texts) for texts in asked))
        await history.aclear()
        self.assertEqual(await history.aget_messages(), [])


@unittest.skipIf(missing, "langchain-core is not installed")
class Docs(unittest.TestCase):
    def test_the_snippet_of_the_docs_prints_what_its_comments_say(self) -> None:
        page = pathlib.Path(__file__).parents[3].joinpath("docs/frameworks.md").read_text(encoding="utf-8")
        [snippet] = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet, "docs/frameworks.md", "exec"), {})
        promised = re.findall(r"# → (.*)$", snippet, re.MULTILINE)
        self.assertGreater(len(promised), 0)
        self.assertEqual(printed.getvalue().splitlines(), promised)


if __name__ == "__main__":
    unittest.main()
