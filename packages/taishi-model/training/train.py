"""Trains chinese-384 into MiniLM's space (--task zh), or english-384 on talk (--task en).

Runs on one GPU. The data folder holds minilm.npz, roformer.npz, pairs.xz, mono.xz (zh), en.xz (en),
english-tokenizer.json and chinese-tokenizer.json. MODEL.md has the options of the released runs.

Python's and PyTorch's random numbers are seeded, NumPy's are not: two runs differ a little.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from dense_recall import print_recall
from encoder_model import DEVICE, Encoder, encode, load_weights, save_weights
from made_up_worlds import Pair
from sources import read_lines
from training_losses import (
    ChineseTargets,
    EnglishTargets,
    contrast,
    prepare_chinese,
    prepare_english,
)
from training_pairs import Batches, Tokenizers, add_ids, cut, lengthen, load_pairs

WARM_UP_STEPS = 100
DISTILL_RATE = 3e-4
LENGTHENED_SHARE = 0.8
FROZEN_ENGLISH = ("words", "pos")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("data", type=Path)
    add("out", type=Path)
    add("--task", choices=("zh", "en"), default="zh")
    add("--name", default="zh", help="how the files of the weights begin")
    add("--steps1", type=int, default=2500, help="zh: steps of distillation alone")
    add("--bs1", type=int, default=1024, help="texts in a batch of these")
    add("--steps2", type=int, default=4000, help="steps with pairs")
    add("--bs2", type=int, default=384, help="pairs in a batch of these")
    add("--tiers", default="12", help="tiers of sources to use: 1, 2 or 12")
    add("--drop", default="", help="sources to leave out, joined by +")
    add("--limit", type=int, default=0, help="read only so many pairs and texts")
    add("--lr", type=float, default=1e-4, help="learning rate of the steps with pairs")
    add("--wd", type=float, default=0.01, help="weight decay")
    add("--tau", type=float, default=0.05, help="temperature of InfoNCE")
    add("--nneg", type=int, default=4, help="hard negatives for each pair")
    add("--gen", type=float, default=0.35, help="share of batches from made-up worlds")
    add("--long", type=float, default=0.3, help="share of batches with lengthened texts")
    add("--maxlen", type=int, default=64, help="tokens of a text, before it is lengthened")
    add("--rel", type=float, default=4, help="zh: weight of the distances between texts")
    add("--cross", type=float, default=0, help="en: weight of distances from short to long texts")
    add("--reg", type=float, default=0.5, help="weight of the targets beside the pairs")
    add("--ab", type=int, default=256, help="texts for the targets beside a batch of pairs")
    add("--seed", type=int, default=1)
    add("--budget", type=float, default=0, help="seconds; 0: as long as it takes")
    add("--s0", type=int, default=20, help="with a budget: the step that timing begins at")
    add("--s1", type=int, default=100, help="with a budget: the step that it ends at")
    add("--nmin", type=int, default=200, help="with a budget: the fewest steps")
    add("--every", type=int, default=500, help="save and evaluate after so many steps")
    add("--evalsets", type=Path, nargs="*", default=[], help="development files")
    add("--saved", action="store_true", help="zh: also save what distillation gave")
    return parser.parse_args()


def make_optimizer(
    model: Encoder, rate: float, decay: float, pooler_factor: float = 1
) -> torch.optim.Optimizer:
    trained = [(name, value) for name, value in model.weights.items() if value.requires_grad]
    groups = [
        {"params": [value for name, value in trained if "pool" not in name], "lr": rate},
        {
            "params": [value for name, value in trained if "pool" in name],
            "lr": rate * pooler_factor,
        },
    ]
    used = [group for group in groups if group["params"]]
    return torch.optim.AdamW(used, weight_decay=decay, fused=DEVICE == "cuda")


def schedule(optimizer: torch.optim.Optimizer, step: int, total: int) -> None:
    """A short rise, then half a cosine down to a fiftieth."""
    cosine = max(0.02, 0.5 * (1 + math.cos(math.pi * step / total)))
    factor = min(1, (step + 1) / WARM_UP_STEPS) * cosine
    for group in optimizer.param_groups:
        group["lr"] = group.setdefault("base", group["lr"]) * factor


def take_step(model: Encoder, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


@dataclass(slots=True)
class Run:
    """One training run: the encoder that learns, and the frozen MiniLM beside it."""

    options: argparse.Namespace
    tokenizers: Tokenizers
    model: Encoder
    minilm: Encoder
    targets: ChineseTargets | EnglishTargets | None = None
    started: float = 0.0

    @property
    def language(self) -> str:
        """The language that the model reads."""
        return "z" if self.options.task == "zh" else "e"

    def reader(self, language: str) -> Encoder:
        return self.model if language == self.language else self.minilm

    def encode(self, sequences: Sequence[np.ndarray], language: str) -> Tensor:
        reader = self.reader(language)
        return encode(reader, sequences, grad=reader is self.model)

    def evaluate(self, label: str) -> None:
        chinese = self.model if self.language == "z" else None
        paths = self.options.evalsets
        print_recall(paths, chinese, self.reader("e"), self.tokenizers, label)

    def save(self, suffix: str = "") -> None:
        frozen = FROZEN_ENGLISH if self.language == "e" else ()
        save_weights(self.model, self.options.out / f"{self.options.name}{suffix}", frozen)

    def seconds(self) -> int:
        return round(time.time() - self.started)


def start_chinese(run: Run) -> None:
    """Set the pooler, then teach the encoder the targets alone."""
    options = run.options
    rows = read_lines(options.data / "mono.xz")
    rows = [row for row in rows if str(row[0]) in options.tiers]
    if options.limit:
        rows = rows[: options.limit]
    texts, glosses = (
        [cut(ids, options.maxlen) for ids in run.tokenizers.encode(column, language)]
        for column, language in (([row[1] for row in rows], "z"), ([row[2] for row in rows], "e"))
    )
    first = Encoder(load_weights(options.data / "roformer.npz"), heads=6).to(DEVICE)
    first.requires_grad_(False)
    targets = prepare_chinese(run.model, first, run.minilm, texts, glosses, options.rel)
    run.targets = targets
    run.evaluate("ridge")
    optimizer = make_optimizer(run.model, DISTILL_RATE, options.wd, pooler_factor=3)
    for step in range(options.steps1):
        schedule(optimizer, step, options.steps1)
        loss = targets.loss(options.bs1)
        take_step(run.model, optimizer, loss)
        if step % 500 == 0 or step == options.steps1 - 1:
            print("distill", step, round(loss.item(), 4), run.seconds(), "s", flush=True)
    run.evaluate("distilled")
    if options.saved:
        run.save("-d")


def start_english(run: Run, pairs: Sequence[Pair]) -> None:
    """Freeze the tables, and note where MiniLM puts the texts that are to be held."""
    for name in FROZEN_ENGLISH:
        run.model.weight(name).requires_grad_(False)
    answers = [pair["pos"] for pair in pairs if not pair["src"].startswith("gen")]
    texts = run.tokenizers.encode(read_lines(run.options.data / "en.xz") + answers, "e")
    run.targets = prepare_english(run.model, run.minilm, texts, run.options.cross)
    print_recall(run.options.evalsets, None, run.minilm, run.tokenizers, "minilm")


def draw_negatives(batch: Sequence[Pair], count: int) -> tuple[list[np.ndarray], list[int]]:
    """Hard negatives, and the row of the batch that each belongs to."""
    negatives: list[np.ndarray] = []
    owners: list[int] = []
    for row, pair in enumerate(batch):
        chosen = random.sample(pair["negs_ids"], min(count, len(pair["negs_ids"])))
        negatives += chosen
        owners += [row] * len(chosen)
    return negatives, owners


def pair_loss(
    run: Run, batch: Sequence[Pair], source: str, fillers: Sequence[np.ndarray]
) -> Tensor | None:
    """The loss of one batch; None if it has nothing to tell the answer from."""
    options = run.options
    asked_in, told_in = batch[0]["ql"], batch[0]["dl"]
    questions = run.encode([pair["q_ids"] for pair in batch], asked_in)
    negatives, owners = draw_negatives(batch, options.nneg)
    texts = [pair["pos_ids"] for pair in batch] + negatives
    if told_in == run.language and fillers and random.random() < options.long:
        texts = [
            lengthen(text, fillers) if random.random() < LENGTHENED_SHARE else text
            for text in texts
        ]
    vectors = run.encode(texts, told_in)
    answers = vectors[: len(batch)]
    general = torch.tensor([bool(pair["g"]) for pair in batch], device=DEVICE)
    if not negatives and bool(general.all()):
        return None
    hard = vectors[len(batch) :] if negatives else None
    owner_rows = torch.tensor(owners, device=DEVICE)
    loss = contrast(questions, answers, hard, owner_rows, general, options.tau)
    if source == "tatoeba:ze":  # translations: the two sides mean the same
        loss = loss + (1 - (questions * answers).sum(-1)).mean()
    return loss


class Budget:
    """Times some steps and cuts the number of steps to what the time allows."""

    def __init__(self, options: argparse.Namespace, started: float) -> None:
        self._options = options
        self._ends = started + options.budget
        self._timed_from = 0.0

    def steps(self, step: int, total: int) -> int:
        options = self._options
        if step == options.s0:
            self._timed_from = self._now()
        if step != options.s1 or not options.budget:
            return total
        each = (self._now() - self._timed_from) / (step - options.s0)
        total = max(options.nmin, min(total, step + int((self._ends - time.time()) / each)))
        print("step", round(each * 1000), "ms, steps now", total, flush=True)
        return total

    @staticmethod
    def _now() -> float:
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        return time.time()


def train_on_pairs(run: Run, batches: Batches) -> None:
    """Pairs, with the targets beside them so that what was learned before stays."""
    options, targets = run.options, run.targets
    assert targets is not None
    fillers = [text for text in targets.texts if 8 < len(text) < 40]
    optimizer = make_optimizer(run.model, options.lr, options.wd)
    budget = Budget(options, run.started)
    losses: dict[str, list[float]] = {}
    total, step = options.steps2, -1
    while step + 1 < total:
        step += 1
        total = budget.steps(step, total)
        schedule(optimizer, step, total)
        batch, source = batches.draw(options.bs2)
        loss = pair_loss(run, batch, source, fillers)
        if loss is None:
            continue
        take_step(run.model, optimizer, loss + options.reg * targets.loss(options.ab))
        losses.setdefault(source, []).append(loss.item())
        if (step + 1) % options.every == 0 or step == total - 1:
            means = {name: round(float(np.mean(v)), 3) for name, v in sorted(losses.items())}
            print("pairs", step + 1, means, run.seconds(), "s", flush=True)
            losses = {}
            run.evaluate(f"{options.name}@{step + 1}")
            run.save()


def print_drift(run: Run) -> None:
    """How far english-384 went from MiniLM."""
    changes = [
        (value - run.minilm.weights[name]).detach().flatten()
        for name, value in run.model.weights.items()
        if name.endswith("_w")
    ]
    print("drift rms", torch.cat(changes).pow(2).mean().sqrt().item())


def main() -> None:
    options = read_options()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    if DEVICE == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.time()
    tokenizers = Tokenizers(options.data)
    first = load_weights(options.data / "minilm.npz")
    minilm = Encoder(first, heads=12).to(DEVICE)
    minilm.requires_grad_(False)
    pairs = load_pairs(options.data / "pairs.xz", options)
    add_ids(pairs, tokenizers, options.maxlen)
    batches = Batches(pairs, options.gen)
    print(batches.describe(), flush=True)
    if options.task == "zh":
        model = Encoder(load_weights(options.data / "roformer.npz"), heads=6).to(DEVICE)
    else:
        model = Encoder(first, heads=12).to(DEVICE)
    run = Run(options, tokenizers, model, minilm, started=started)
    if options.task == "zh":
        start_chinese(run)
    else:
        start_english(run, pairs)
    train_on_pairs(run, batches)
    if options.task == "en":
        print_drift(run)
    run.save()
    print("done", run.seconds(), "s")


if __name__ == "__main__":
    main()
