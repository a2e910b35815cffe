"""`python -m benchmarks [names…] [--json FILE] [--quick] [--profile]`, from the project's root.

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
LONG = ("embedder", "scale", "crowd", "load", "hostile", "fuzz", "knowledge_sync")
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
        else:
            results[name] = benchmark.run(options.quick)
    results["machine"]["load_after"] = load_average()
    if options.json:
        text = json.dumps(results, ensure_ascii=False, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")


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
