"""Writes deploy/secrets: random passwords for the engines of compose.yaml, readable by you alone.

    python deploy/make_secrets.py

Files that are there already are left as they are.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "secrets"


def main(folder: Path = FOLDER) -> None:
    """What compose.yaml names under `secrets`."""
    if any((folder / name).exists() for name in ("TAISHI_DATA", "S3_CONFIG")):
        sys.exit(f"{folder} holds secrets already; remove it to make new ones")
    password, key, secret = secrets.token_hex(24), secrets.token_hex(10), secrets.token_hex(24)
    superuser = secrets.token_hex(24)
    identity = {
        "name": "taishi",
        "credentials": [{"accessKey": key, "secretKey": secret}],
        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
    }
    contents = {
        "POSTGRES_PASSWORD": superuser,
        "DATABASE_PASSWORD": password,
        "TAISHI_DATA": f"postgresql://taishi:{password}@database:5432/taishi",
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "S3_CONFIG": json.dumps({"identities": [identity]}),
    }
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in contents.items():
        # Compose mounts the file itself, with its rights: the users in the containers read it. Here
        # the folder keeps others out.
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(handle, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
