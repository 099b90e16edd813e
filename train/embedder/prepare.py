"""python3 train/embedder/prepare.py OUT [--pairs FOLDER] [--longmemeval FOLDER] [--locomo FOLDER]

Writes OUT/sets.json.gz, the training set of train.py. Without options, it has only our own data: the English lives of
train/lives, and the questions of train/embedder/own for their turns. The options name folders with public data:

  --pairs        *.jsonl with {text, who, questions} on each line: turns with questions that were written for them (for training)
  --longmemeval  pool.json and qa.jsonl: a pool of turns with questions (for training)
  --locomo       locomo-dev.json and locomo-dev-qa.jsonl (only for evaluation: its licence forbids shipping weights trained on it)

Every fifth life is left out of the training and used for evaluation, with its turns and with its statements.
A turn is embedded as "Speaker: text", with User and Assistant if no speaker is named. Questions and statements are embedded as they are.
"""

import argparse
import gzip
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
LIVES = HERE.parent / "lives"
# train.py reads 256 tokens of a text. More characters than this are never read.
MOST_CHARACTERS = 2000


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def task(documents, questions):
    """A task in the format of train.py, from documents [(id, text)] and questions [(text, ids of the evidence)]."""
    place = {id: index for index, (id, _) in enumerate(documents)}
    rows = [(text, [place[id] for id in evidence if id in place]) for text, evidence in questions]
    rows = [row for row in rows if row[1]]
    return {
        "docs": [text[:MOST_CHARACTERS] for _, text in documents],
        "q": [text for text, _ in rows],
        "gold": [gold for _, gold in rows],
    }


def turns_of(conversation):
    """The turns of a conversation in the format of LoCoMo."""
    names = {"user": "User", "assistant": "Assistant"}
    sessions = sorted((key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    turns = []
    for session in sessions:
        for turn in conversation[session]:
            speaker = names.get(turn["speaker"], turn["speaker"])
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append((turn["dia_id"], f"{speaker}: {turn['text']}{caption}"))
    return turns


def tasks_of_life(life, with_own):
    """One task with the turns of a life, and one with its statements."""
    users = {turn["speaker"] for session in life["sessions"] for turn in session["turns"] if turn["role"] == "user"}

    def spoken(turn):
        if turn["role"] != "user":
            return f"Assistant: {turn['text']}"
        return f"{turn['speaker'] if len(users) > 1 else 'User'}: {turn['text']}"

    turns = [(turn["id"], spoken(turn)) for session in life["sessions"] for turn in session["turns"]]
    questions = [(question["question"], question["evidence"]) for question in life["questions"]]
    own = HERE / "own" / f"{life['id']}.jsonl"
    if with_own and own.exists():
        questions += [(text, [row["turn"]]) for row in read_lines(own) for text in row["q"]]
    statements = [(memory["id"], memory["text"]) for memory in life["memories"]]
    about = [(question["question"], question["memories"]) for question in life["questions"]]
    return task(turns, questions), task(statements, about)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    for option in ("--pairs", "--longmemeval", "--locomo"):
        parser.add_argument(option, type=Path)
    options = parser.parse_args()
    train, judge = [], {"lives": [], "statements": []}

    for number, path in enumerate(sorted(LIVES.glob("*.json"))):
        life = json.loads(path.read_text())
        if life["language"] not in ("en", "mixed"):
            continue
        is_judged = number % 5 == 4
        turns, statements = tasks_of_life(life, with_own=not is_judged)
        if is_judged:
            judge["lives"].append(turns)
            judge["statements"].append(statements)
        else:
            train += [turns, statements]

    if options.longmemeval:
        pool = json.loads((options.longmemeval / "pool.json").read_text())[0]
        questions = [(row["question"], row["evidence"]) for row in read_lines(options.longmemeval / "qa.jsonl")]
        train.append(task(turns_of(pool["conversation"]), questions))
    for path in sorted(options.pairs.glob("*.jsonl")) if options.pairs else []:
        rows = read_lines(path)
        documents = [(index, f"{row['who']}: {row['text']}") for index, row in enumerate(rows)]
        train.append(task(documents, [(text, [index]) for index, row in enumerate(rows) for text in row["questions"]]))
    if options.locomo:
        rows = read_lines(options.locomo / "locomo-dev-qa.jsonl")
        judge["locomo"] = []
        for sample in json.loads((options.locomo / "locomo-dev.json").read_text()):
            mine = [row for row in rows if row["sample_id"] == sample["sample_id"] and row["category"] <= 4]
            questions = [(row["question"], row["evidence"] or []) for row in mine]
            judge["locomo"].append(task(turns_of(sample["conversation"]), questions))

    options.out.mkdir(parents=True, exist_ok=True)
    with gzip.open(options.out / "sets.json.gz", "wt") as file:
        json.dump({"train": train, "eval": judge}, file)
    count = lambda tasks: sum(len(item["q"]) for item in tasks)
    print("questions to train on:", count(train), "to judge on:", {name: count(tasks) for name, tasks in judge.items()})


main()
