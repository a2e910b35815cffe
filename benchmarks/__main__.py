"""`python -m benchmarks [names…] [--json FILE] [--quick] [--profile]`, from the project's root.

`python -m benchmarks vector_engines FILE.json` compares vector engines on a case file, and
`… engines FILE.json` the ways to answer from SQLite and PostgreSQL; `… postgres [RECORDS]`.
`python -m benchmarks peers [--sizes N …] [--only NAMES] [--repeats N]` compares us with others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks.library import load_average
from benchmarks.measure import Results

NAMES = ("end_turn", "observe", "off", "write", "queue", "historian", "recall", "proxy")
# No speed, or little of it: only when asked for.
QUALITY = ("sentences", "self_statements", "model_check", "prompt_block", "secrets", "knowledge")
# Minutes each, some with gigabytes of disk: only when asked for.
LONG = ("embedder", "scale", "crowd", "load", "load_workers", "hostile", "fuzz", "knowledge_sync",
        "pages", "vector_engines", "postgres", "engines")  # fmt: skip
WITH_CASES = ("vector_engines", "engines")
PEERS = "peers"  # installs what it compares with, so it runs only when asked for


def main() -> None:
    options = _arguments()
    results: Results = {"machine": _machine()}
    for name in options.names or NAMES:
        if name == PEERS:
            results[name] = import_module("benchmarks.peers.compare").run(
                options.sizes, options.only, options.repeats, options.quick
            )
            continue
        benchmark = import_module(f"benchmarks.{name}")
        if name == "recall":
            results[name] = benchmark.run(options.quick, options.profile)
        elif name in WITH_CASES:
            results[name] = benchmark.run(options.quick, options.cases)
        elif name == "postgres":
            results[name] = benchmark.run(options.quick, options.records)
        else:
            results[name] = benchmark.run(options.quick)
    over = [name for name, result in results.items() if result.get("over")]
    results["machine"]["load_after"] = load_average()
    if options.json:
        text = json.dumps(results, ensure_ascii=False, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    if over:
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = (*NAMES, *QUALITY, *LONG, PEERS)
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of {', '.join(known)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--quick", action="store_true", help="fewer samples, smaller folders")
    parser.add_argument("--profile", action="store_true", help="recall: a profile, no figures")
    peers = parser.add_argument_group("peers")
    peers.add_argument("--sizes", type=int, nargs="+", metavar="N", help="how many records")
    peers.add_argument("--only", metavar="NAMES", help="with whom, such as chromadb,lancedb")
    peers.add_argument("--repeats", type=int, default=3, metavar="N", help="rounds (default 3)")
    options = parser.parse_intermixed_args()
    sizes = [name for name in options.names if name.isdecimal()]
    options.records = int(sizes[-1]) if sizes and "postgres" in options.names else None
    options.names = [name for name in options.names if options.records is None or name not in sizes]
    files = [name for name in options.names if name.endswith(".json")]
    options.names = [name for name in options.names if name not in files]
    options.cases = Path(files[-1]) if files and set(WITH_CASES) & set(options.names) else None
    if bool(files) != bool(set(WITH_CASES) & set(options.names)):
        parser.error(f"a case file (.json) is for {' and '.join(WITH_CASES)}, which need one")
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"unknown benchmark {', '.join(unknown)}; use some of {', '.join(known)}")
    if options.repeats < 1 or any(size < 500 for size in options.sizes or ()):
        parser.error("--repeats must be at least 1, and every size at least 500")
    if options.profile and options.names != ["recall"]:
        parser.error("--profile is for recall alone: python -m benchmarks recall --profile")
    return options


def _machine() -> Results:
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "load_before": load_average(),
    }


if __name__ == "__main__":
    main()
