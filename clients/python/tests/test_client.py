"""Against a running server: VARVE_URL and VARVE_KEY say which. test/python-client.test.ts starts one."""

import asyncio
import contextlib
import io
import pathlib
import re
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from varve_client import AsyncVarve, Varve, VarveError


def somebody() -> str:
    return f"python-{uuid.uuid4()}"


class Sync(unittest.TestCase):
    def test_conversation_is_logged_and_found(self) -> None:
        memory = Varve().memory(user=somebody(), session="s1")
        logged = memory.add([{"role": "user", "content": "My parrot is called Kiki."}, {"role": "assistant", "content": "Hello Kiki."}])
        self.assertEqual([event["origin"] for event in logged["events"]], ["user", "agent"])
        memory.add("She likes apples.")
        self.assertEqual(len(memory.list_events(kinds=["message"], limit=10)["items"]), 3)
        self.assertIn("Kiki", memory.search("parrot Kiki")[0]["text"])

    def test_memories_facts_and_context(self) -> None:
        memory = Varve().memory(user=somebody())
        memory.set_fact("home_city", value="Graz")
        self.assertEqual(memory.get_fact("home_city")["value"], "Graz")
        made = memory.create_memory(memory={"type": "fact", "content": "Keeps bees."})["memory"]
        self.assertEqual(memory.get_memory(made["id"])["content"], "Keeps bees.")
        self.assertEqual(set(memory.list_memories(fields=["id", "content"])["items"][0]), {"id", "content"})
        self.assertIn("Graz", memory.assemble_context(message="Where do I live?")["system"])
        memory.archive_memory(made["id"])
        self.assertNotIn("Keeps bees.", [item["content"] for item in memory.list_memories()["items"]])
        self.assertEqual(memory.call_tool("recall_facts", {})["count"], 1)

    def test_a_write_happens_once_under_its_key(self) -> None:
        memory = Varve().memory(user=somebody())
        key = str(uuid.uuid4())
        first = memory.add_note(title="Once", content="Only once.", idempotency_key=key)
        again = memory.add_note(title="Once", content="Only once.", idempotency_key=key)
        self.assertEqual(first["id"], again["id"])

    def test_scopes_are_walls(self) -> None:
        one, other = Varve().memory(user=somebody()), Varve().memory(user=somebody())
        made = one.create_memory(memory={"type": "fact", "content": "Mine."})["memory"]
        with self.assertRaises(VarveError) as caught:
            other.get_memory(made["id"])
        self.assertEqual((caught.exception.code, caught.exception.status), ("not_found", 404))

    def test_errors_say_what_is_wrong(self) -> None:
        with self.assertRaises(VarveError) as caught:
            Varve().memory(user="ana").create_memory(memory={"type": "no_such_type", "content": "x"})
        self.assertEqual(caught.exception.code, "invalid_input")
        with self.assertRaises(VarveError) as denied:
            Varve(key="wrong").memory(user="ana").list_memories()
        self.assertEqual(denied.exception.status, 401)
        with self.assertRaises(VarveError) as gone:
            Varve(url="http://127.0.0.1:9", retries=0).memory(user="ana").list_memories()
        self.assertEqual((gone.exception.code, gone.exception.retryable), ("store_unavailable", True))

    def test_slow_work_is_sent_once_and_other_requests_again(self) -> None:
        asked = []

        class Failing(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked.append(self.path.split("?")[0])
                self.send_response(503)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Failing)
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            memory = Varve(url=f"http://127.0.0.1:{server.server_port}", key="k", retries=1).memory(user="ana", session="s")
            for call in (memory.form, memory.reflect, lambda: memory.add("Hello.")):
                with self.assertRaises(VarveError):
                    call()
        finally:
            server.shutdown()
            server.server_close()
        self.assertEqual(asked, ["/v1/form", "/v1/reflect", "/v1/events", "/v1/events"])

    def test_names_with_odd_characters_arrive(self) -> None:
        memory = Varve().memory(user="Zoë & söhne/?#")
        memory.set_fact("home_city", value="Łódź 🙂")
        self.assertEqual(memory.get_fact("home_city")["value"], "Łódź 🙂")


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_many_at_once(self) -> None:
        memory = AsyncVarve().memory(user=somebody(), session="s1")
        await asyncio.gather(*(memory.add(f"Number {index} is my favourite.") for index in range(8)))
        page = await memory.list_events(kinds=["message"])
        self.assertEqual(len(page["items"]), 8)
        self.assertTrue(await memory.search("favourite number"))
        with self.assertRaises(VarveError):
            await memory.get_memory("mem_nothing")


class Docs(unittest.TestCase):
    def test_the_snippet_of_the_readme_prints_what_its_comments_say(self) -> None:
        page = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
        [snippet] = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet, "README.md", "exec"), {})
        promised = re.findall(r"# → (.*)$", snippet, re.MULTILINE)
        self.assertGreater(len(promised), 0)
        self.assertEqual(printed.getvalue().splitlines(), promised)


if __name__ == "__main__":
    unittest.main()
