"""What the encoders are trained to: answers near their questions, and old distances kept."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from encoder_model import DEVICE, WIDTH, Encoder, by_length, encode, encode_all, first_tokens

IMPOSSIBLE = -1e4
RIDGE = 10.0
LONG_TEXT = 90  # tokens


def contrast(
    questions: Tensor,
    answers: Tensor,
    negatives: Tensor | None,
    owners: Tensor,
    general: Tensor,
    temperature: float,
) -> Tensor:
    """InfoNCE over the batch. `negatives` count only for the question that owns them.

    `general` is true where other rows' answers may fit the question, too: such a row is compared
    with its own negatives alone.
    """
    size = len(questions)
    targets = torch.arange(size, device=questions.device)
    itself = torch.eye(size, dtype=torch.bool, device=questions.device)
    same_text = (answers @ answers.T > 0.98) & ~itself
    scores = questions @ answers.T
    scores = scores.masked_fill(same_text | (general[:, None] & ~itself), IMPOSSIBLE)
    if negatives is not None:
        hard = questions @ negatives.T
        hard = hard.masked_fill(owners[None, :] != targets[:, None], IMPOSSIBLE)
        scores = torch.cat([scores, hard], 1)
    loss = functional.cross_entropy(scores / temperature, targets)
    if general.all():
        return loss
    backward = answers @ questions.T
    backward = backward.masked_fill(same_text | (general[None, :] & ~itself), IMPOSSIBLE)
    kept = ~general
    reverse = functional.cross_entropy(backward[kept] / temperature, targets[kept])
    return loss * 0.7 + 0.3 * reverse


def _off_diagonal(size: int) -> Tensor:
    return ~torch.eye(size, dtype=torch.bool, device=DEVICE)


@dataclass(slots=True)
class ChineseTargets:
    """Chinese texts should lie where MiniLM puts their glosses, and be as far apart as before.

    Before: 0.7 of MiniLM on the gloss and 0.3 of RoFormer on the text itself.
    """

    model: Encoder
    texts: Sequence[np.ndarray]
    gloss_vectors: Tensor
    own_vectors: Tensor
    order: np.ndarray
    relation_weight: float

    def loss(self, size: int) -> Tensor:
        # Texts of similar length: little padding.
        start = random.randrange(max(1, len(self.texts) - 4 * size))
        near = self.order[start : start + 4 * size]
        places = np.random.choice(near, min(size, len(self.texts)), replace=False)
        vectors = encode(self.model, [self.texts[place] for place in places])
        rows = torch.tensor(places, device=DEVICE)
        gloss, own = self.gloss_vectors[rows].float(), self.own_vectors[rows].float()
        wanted = 0.7 * gloss @ gloss.T + 0.3 * own @ own.T
        off = _off_diagonal(len(places))
        relations = functional.mse_loss((vectors @ vectors.T)[off], wanted[off])
        return self.relation_weight * relations * 10 + (1 - (vectors * gloss).sum(-1)).mean()


def prepare_chinese(
    model: Encoder,
    first: Encoder,
    english: Encoder,
    texts: Sequence[np.ndarray],
    glosses: Sequence[np.ndarray],
    relation_weight: float,
) -> ChineseTargets:
    """The targets; on the way the pooler is set by ridge regression onto the glosses' vectors."""
    gloss_vectors = encode_all(english, glosses).half()
    with torch.no_grad():
        states = first_tokens(first, texts)
        pooled = first.pool(states)
        own_vectors = functional.normalize(pooled - pooled.mean(0), dim=-1).half()
        inputs = torch.cat([states, torch.ones(len(states), 1, device=DEVICE)], 1)
        wanted = gloss_vectors.float()
        gram = inputs.T @ inputs + RIDGE * torch.eye(WIDTH + 1, device=DEVICE)
        solution = torch.linalg.solve(gram.double(), (inputs.T @ wanted).double()).float()
        model.weight("pool.w").copy_(solution[:WIDTH])
        model.weight("pool.b").copy_(solution[WIDTH])
        cosine = functional.cosine_similarity(inputs @ solution, wanted).mean().item()
    print("ridge: cosine to gloss", cosine, len(texts), flush=True)
    order = np.array(by_length(texts))
    return ChineseTargets(model, texts, gloss_vectors, own_vectors, order, relation_weight)


@dataclass(slots=True)
class EnglishTargets:
    """English texts should stay where MiniLM puts them, short ones and long ones.

    `cross_weight`: how much the distances between short and long texts count.
    """

    model: Encoder
    texts: Sequence[np.ndarray]
    vectors: Tensor
    short: np.ndarray
    long: np.ndarray
    cross_weight: float

    def loss(self, size: int) -> Tensor:
        short_loss, short, short_wanted = self._group(self.short, size)
        long_loss, long, long_wanted = self._group(self.long, size // 2)
        cross = functional.mse_loss(short @ long.T, short_wanted @ long_wanted.T)
        return short_loss + long_loss + self.cross_weight * cross

    def _group(self, pool: np.ndarray, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Loss, vectors, and the vectors that they should be."""
        places = np.random.choice(pool, min(size, len(pool)), replace=False)
        vectors = encode(self.model, [self.texts[place] for place in places])
        wanted = self.vectors[torch.tensor(places, device=DEVICE)].float()
        off = _off_diagonal(len(places))
        relations = functional.mse_loss((vectors @ vectors.T)[off], (wanted @ wanted.T)[off])
        return 2 * (1 - (vectors * wanted).sum(-1)).mean() + 20 * relations, vectors, wanted


def prepare_english(
    model: Encoder, first: Encoder, texts: Sequence[np.ndarray], cross_weight: float
) -> EnglishTargets:
    vectors = encode_all(first, texts).half()
    lengths = np.array([len(text) for text in texts])
    short, long = np.where(lengths < LONG_TEXT)[0], np.where(lengths >= LONG_TEXT)[0]
    print("texts to hold", len(short), len(long))
    return EnglishTargets(model, texts, vectors, short, long, cross_weight)
