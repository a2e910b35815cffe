"""deploy/: what a machine without a container engine can tell about it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from support.engine_postgres import PostgresEngine, programs
from taishi.assembly import probe_database
from taishi.cli import taishi
from taishi.cli.context import CliContext
from taishi.observe.metrics import METRICS
from taishi.server.health import health_router
from taishi.server.metrics import SERVER_METRICS
from taishi.settings import load

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
OURS = {
    "TAISHI_DATA",
    "TAISHI_CONFIG",
    "TAISHI_SECRETS",
    "TAISHI_EXPECTED_SECRETS",
}  # no settings, but known
PINNED = re.compile(r"[\w./-]+:v?\d+(\.\d+)+[\w.-]*")
ROUTES = {getattr(route, "path", "") for route in health_router().routes}
SERVICE_KEYS = {
    "build", "cap_drop", "command", "depends_on", "deploy", "entrypoint", "environment",
    "healthcheck", "image", "networks", "ports", "profiles", "read_only", "restart", "secrets",
    "security_opt", "shm_size", "stop_grace_period", "tmpfs", "user", "volumes",
}  # fmt: skip


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


SERVICES: dict[str, dict[str, Any]] = compose()["services"]
ONCE = {"bucket"}  # a service that does its work and ends
TAISHI = {name: one for name, one in SERVICES.items() if one["image"].startswith("taishi:")}


def manifests() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(KUBERNETES.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            yield path.name, document


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [document for _, document in manifests() if document["kind"] == kind]


def check_command(arguments: list[str]) -> None:
    """Parsed as the command line would be, and not run."""
    context = click.Context(taishi, obj=CliContext(), **taishi.context_settings)
    name, command, rest = taishi.resolve_command(context, list(arguments))
    assert name and command
    command.make_context(name, rest, parent=context)


def check_environment(values: dict[str, str]) -> None:
    ours = {name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value) for name, value in values.items()
            if name.startswith("TAISHI")}  # fmt: skip
    assert ours
    known = {name: value for name, value in ours.items() if name.startswith("TAISHI__")}
    assert set(ours) - set(known) <= OURS
    given = load(environ=known).origin.given
    assert {f"TAISHI__{key.upper().replace('.', '__')}" for key in given} == set(known)


def check_heartbeat(probe: list[str], command: list[str]) -> None:
    """The probe looks at the worker's own file, and asks no database: run with files of any age."""
    file = command[command.index("--heartbeat") + 1]
    assert probe[:2] == ["sh", "-c"] and file in probe[2] and "taishi-entrypoint" not in probe[2]
    with tempfile.TemporaryDirectory() as folder:
        beat = Path(folder, "beat")

        def passes() -> bool:
            script = probe[2].replace(file, str(beat))
            return not subprocess.run(["sh", "-c", script], stderr=subprocess.DEVNULL).returncode

        assert not passes(), "there is none yet"
        beat.touch()
        assert passes()
        os.utime(beat, (time.time() - 200,) * 2)
        assert not passes()


def test_a_wrong_command_or_variable_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        check_command(["serve", "--wokers", "2"])
    with pytest.raises(click.UsageError):
        check_command(["sevre"])
    with pytest.raises(Exception, match="cash"):
        check_environment({"TAISHI__STORAGE__CASH": "x"})


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_pinned_watched_and_wired(name: str) -> None:
    service, whole = SERVICES[name], compose()
    assert set(service) <= SERVICE_KEYS and PINNED.fullmatch(service["image"])
    assert service["restart"] == ("on-failure" if name in ONCE else "unless-stopped")
    if name not in ONCE:
        assert service["healthcheck"]["test"][0] == "CMD" and service["healthcheck"]["interval"]
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:")
    for part in ("networks", "secrets"):
        assert set(service.get(part, [])) <= set(whole[part])
    volumes = {volume.partition(":")[0] for volume in service.get("volumes", [])}
    files = {volume for volume in volumes if volume.startswith("./")}
    assert volumes - files <= set(whole["volumes"])
    assert all((DEPLOY / file).is_file() for file in files)
    for other, condition in service.get("depends_on", {}).items():
        until = "completed_successfully" if other in ONCE else "healthy"
        assert condition == {"condition": f"service_{until}"} and "profiles" not in SERVICES[other]
    assert not any("PASSWORD" in key and not key.endswith("_FILE")
                   for key in service.get("environment", {}))  # fmt: skip


@pytest.mark.parametrize("name", TAISHI)
def test_our_services_run_without_rights_and_with_known_settings(name: str) -> None:
    service = TAISHI[name]
    assert service["user"] == "10001:10001" and service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and service["deploy"]["replicas"] == 2
    assert service["security_opt"] == ["no-new-privileges:true"]
    check_command(service["command"])
    check_environment(service["environment"])
    test = service["healthcheck"]["test"]
    if "python" in test:
        compile(test[-1], "healthcheck", "exec")
        assert re.search(r":8321(/[\w/]+)'", test[-1])[1] in ROUTES  # type: ignore[index]
    else:
        check_heartbeat(test[1:], service["command"])


def test_engines_cannot_be_reached_from_outside() -> None:
    whole = compose()
    assert whole["networks"]["engines"] == {"internal": True}
    engines = set(SERVICES) - set(TAISHI)
    assert engines == {"database", "cache", "files", "vectors", *ONCE}
    assert all(SERVICES[name]["networks"] == ["engines"] for name in engines)
    assert not any("ports" in SERVICES[name] for name in engines)


def sql_of(text: str) -> list[str]:
    """Its statements, without the names and the password that everybody chooses."""
    text = re.sub(r"PASSWORD :?'[^']+'", "PASSWORD", text)
    text = re.sub(r"(DATABASE|connect) \w+", r"\1", text)
    return [line for line in text.splitlines() if line.startswith(("CREATE", "\\connect"))]


def test_the_database_has_the_ordinary_role_of_the_page() -> None:
    database, script = SERVICES["database"], (DEPLOY / "database.sql").read_text()
    assert database["environment"]["POSTGRES_USER"] == "postgres"
    for page in ("postgres.md", "postgres.zh-CN.md"):
        text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
        shown = re.search(r"```sql\n(CREATE ROLE taishi LOGIN.*?)```", text, re.DOTALL)
        assert shown and len(sql_of(script)) == 4 and sql_of(script) == sql_of(shown[1]), page
    (secret,) = re.findall(r"`cat /run/secrets/(\w+)`", script)
    assert secret in database["secrets"]


def test_the_script_of_the_database_makes_an_ordinary_role(
    postgres_engine: PostgresEngine, tmp_path: Path
) -> None:
    name, secret = f"compose_{secrets.token_hex(4)}", tmp_path / "password"
    secret.write_text("pass'word")
    script = (DEPLOY / "database.sql").read_text()
    script = script.replace("/run/secrets/DATABASE_PASSWORD", str(secret))
    script = re.sub(r"(ROLE|DATABASE|OWNER|connect) taishi", rf"\1 {name}", script)
    psql = [programs() / "psql", "--set=ON_ERROR_STOP=1", "--no-psqlrc", postgres_engine.admin()]
    try:
        done = subprocess.run(psql, input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        address = f"postgresql://{name}:pass%27word@127.0.0.1:{postgres_engine.port}/{name}"
        assert not probe_database(address).bypasses_row_security
    finally:
        postgres_engine.run(f"DROP DATABASE IF EXISTS {name}")
        postgres_engine.run(f"DROP ROLE IF EXISTS {name}")


def test_the_bucket_is_the_one_of_the_settings() -> None:
    """Made before a server starts."""
    address = SERVICES["serve"]["environment"]["TAISHI__STORAGE__FILES"]
    bucket = address.removeprefix("s3://").partition("/")[0]
    (command,) = SERVICES["bucket"]["command"]
    assert f"s3.bucket.create -name {bucket} |" in command and command.endswith(f" {bucket}")
    assert SERVICES["bucket"]["image"] == SERVICES["files"]["image"]
    assert all("bucket" in one["depends_on"] for one in TAISHI.values())


def test_secrets_are_made_once_and_all_of_them(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(DEPLOY)!r}); import make_secrets as m; " \
           f"from pathlib import Path; m.main(Path({str(tmp_path / 's')!r}))"  # fmt: skip
    assert subprocess.run([sys.executable, "-B", "-c", code]).returncode == 0
    made = {path.name: path.read_text() for path in (tmp_path / "s").iterdir()}
    assert set(made) == set(compose()["secrets"])
    assert made["DATABASE_PASSWORD"] in made["TAISHI_DATA"]
    assert made["POSTGRES_PASSWORD"] not in made["TAISHI_DATA"]
    assert made["AWS_SECRET_ACCESS_KEY"] in made["S3_CONFIG"]
    assert (tmp_path / "s").stat().st_mode & 0o077 == 0
    again = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert again.returncode == 1 and "already" in again.stderr
    listed = {one["file"] for one in compose()["secrets"].values()}
    assert listed == {f"./secrets/{name}" for name in made}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_the_entrypoint_turns_files_into_variables(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "taishi"
    command.parent.mkdir()
    command.write_text('#!/bin/sh\nenv\necho "arguments: $*"\n')
    command.chmod(0o755)
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "TAISHI_DATA").write_text("postgresql://u:p$(id)@h/db\n")
    (folder / "POSTGRES_PASSWORD").write_text("not ours")
    (folder / "TAISHI_x;id").write_text("no name")
    (folder / "other.json").write_text("{}")
    environ = {"PATH": f"{command.parent}:{os.environ['PATH']}", "TAISHI_SECRETS": str(folder)}
    script = ["sh", str(DEPLOY / "entrypoint.sh"), "serve", "--port", "1"]
    said = subprocess.run(script, env=environ, capture_output=True, text=True, check=True).stdout
    assert "TAISHI_DATA=postgresql://u:p$(id)@h/db\n" in said
    assert "arguments: serve --port 1\n" in said
    assert "not ours" not in said and "no name" not in said and "other" not in said
    (tmp_path / "none").mkdir()
    environ["TAISHI_SECRETS"] = str(tmp_path / "none")
    assert "arguments" in subprocess.run(script, env=environ, capture_output=True, text=True).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
@pytest.mark.parametrize("wrong", ["missing", "misnamed", "empty", "a link to nothing", "a folder"])
def test_without_an_expected_secret_nothing_starts(tmp_path: Path, wrong: str) -> None:
    command = tmp_path / "bin" / "taishi"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\nenv\n")
    command.chmod(0o755)
    secret = tmp_path / "TAISHI_DATA"
    (tmp_path / "AWS_ACCESS_KEY_ID").write_text("key")
    environ = {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "TAISHI_SECRETS": str(tmp_path),
        "TAISHI_EXPECTED_SECRETS": "AWS_ACCESS_KEY_ID TAISHI_DATA",
    }

    def start() -> subprocess.CompletedProcess[str]:
        script = ["sh", str(DEPLOY / "entrypoint.sh"), "serve"]
        return subprocess.run(script, env=environ, capture_output=True, text=True)

    secret.write_text("postgresql://u@h/db")
    done = start()
    assert done.returncode == 0 and "TAISHI_DATA=postgresql://u@h/db\n" in done.stdout
    assert "EXPECTED" not in done.stdout, "no setting, and no warning of one"
    secret.unlink()
    if wrong == "misnamed":
        (tmp_path / "TAISHI_DATABASE").write_text("postgresql://u@h/db")
    elif wrong == "empty":
        secret.touch()
    elif wrong == "a link to nothing":
        secret.symlink_to(tmp_path / "nowhere")
    elif wrong == "a folder":
        secret.mkdir()
    done = start()
    assert done.returncode == 1 and not done.stdout
    assert f"the secret {secret} is missing or empty" in done.stderr


def test_the_image_is_pinned_small_and_not_root() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    images = [line[1] for line in words if line[0] == "FROM"]
    assert len(images) == 3 and all(PINNED.fullmatch(image) and "slim" in image for image in images)
    last = words[[line[0] for line in words].index("FROM", len(words) // 2) :]
    assert ["USER", "10001:10001"] in words and not any("pip" in line for line in last)
    for line in words:
        if line[0] == "COPY" and not line[1].startswith("--from"):
            assert all((ROOT / source).exists() for source in line[1:-1]), line
    command = next(" ".join(line[1:]) for line in words if line[0] == "CMD")
    check_command(yaml.safe_load(command))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.search(r"'\.\[([\w,]+)\]'", "\n".join(lines))
    assert extras and set(extras[1].split(",")) <= set(project["optional-dependencies"])
    assert f"taishi:{project['version']}" == TAISHI["serve"]["image"]
    assert "./packages/taishi-model" in "\n".join(lines), "the extra local would want an index"
    entrypoint = (DEPLOY / "entrypoint.sh").read_text()
    assert set(re.findall(r"^exec (\S+)", entrypoint, re.MULTILINE)) <= set(project["scripts"])
    values = dict(re.findall(r"(TAISHI\w+)=(\S+)", "\n".join(lines)))
    check_environment(values)


@pytest.mark.parametrize("name", ["deploy.md", "deploy.zh-CN.md"])
def test_the_page_says_how_to_run_the_image_as_it_is(name: str) -> None:
    page = (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")
    image = TAISHI["serve"]["image"]
    assert f"docker build -f deploy/Dockerfile -t {image} ." in page
    runs = re.findall(rf"^docker run .*{re.escape(image)}(.*)$", page, re.MULTILINE)
    assert [bool(words.strip()) for words in runs] == [True, False]
    check_command(runs[0].split())
    extras = re.search(r"'\.\[([\w,]+)\]'", (DEPLOY / "Dockerfile").read_text())
    assert extras and all(f"`{extra}`" in page for extra in extras[1].split(","))


def test_manifests_belong_together() -> None:
    kinds = [document["kind"] for _, document in manifests()]
    for kind in ("Deployment", "Service", "ConfigMap", "Secret", "Ingress", "PodDisruptionBudget",
                 "HorizontalPodAutoscaler", "NetworkPolicy", "Namespace"):  # fmt: skip
        assert kind in kinds
    listed = set(yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"])
    files = {name for name, _ in manifests()} - {"kustomization.yaml"}
    assert listed == {name for name in files if ".example." not in name}
    labels = {d["metadata"]["name"]: d["spec"]["template"]["metadata"]["labels"]
              for d in of_kind("Deployment")}  # fmt: skip
    for document in of_kind("Deployment"):
        chosen = document["spec"]["selector"]["matchLabels"]
        assert chosen.items() <= labels[document["metadata"]["name"]].items()
    for kind in ("PodDisruptionBudget", "NetworkPolicy"):
        for document in of_kind(kind):
            chosen = document["spec"].get("selector", document["spec"].get("podSelector"))
            assert any(chosen["matchLabels"].items() <= one.items() for one in labels.values())
    (service,) = of_kind("Service")
    assert service["spec"]["selector"].items() <= labels["taishi-serve"].items()
    (scaler,) = of_kind("HorizontalPodAutoscaler")
    assert scaler["spec"]["scaleTargetRef"]["name"] in labels
    (ingress,) = of_kind("Ingress")
    paths = {path["path"]: path["backend"]["service"]["name"]
             for path in ingress["spec"]["rules"][0]["http"]["paths"]}  # fmt: skip
    assert paths["/"] == service["metadata"]["name"]
    assert paths["/metrics"] not in [one["metadata"]["name"] for one in of_kind("Service")]


def test_an_autoscaler_has_its_deployment_for_itself() -> None:
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in of_kind("HorizontalPodAutoscaler")}
    for document in of_kind("Deployment"):
        assert ("replicas" in document["spec"]) == (document["metadata"]["name"] not in scaled)


@pytest.mark.parametrize("document", of_kind("Deployment"), ids=lambda d: d["metadata"]["name"])
def test_a_deployment_is_safe_and_its_probes_exist(document: dict[str, Any]) -> None:
    pod = document["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert PINNED.fullmatch(container["image"]) and container["resources"]["limits"]["memory"]
    check_command(container["args"])
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if "httpGet" in container.get(probe, {}):
            assert container[probe]["httpGet"]["path"] in ROUTES
    assert "livenessProbe" in container
    if "exec" in container["livenessProbe"]:
        check_heartbeat(container["livenessProbe"]["exec"]["command"], container["args"])
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    seconds = load().server.shutdown_seconds
    assert pod["terminationGracePeriodSeconds"] >= seconds + 30


def test_settings_and_secrets_of_the_cluster_are_known() -> None:
    (config,) = of_kind("ConfigMap")
    check_environment(config["data"])
    (secret,) = of_kind("Secret")
    names = set(secret["stringData"])
    assert names == {"TAISHI_DATA", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}


def uncommented(name: str) -> Iterator[dict[str, Any]]:
    """A manifest with its examples in force: lines of YAML behind an indented `# `."""
    text = (KUBERNETES / name).read_text()
    yaml_line = r"^( +)# ( *(?:- |ports:|matchLabels:|-----|[\w.]+: \||TAISHI\w+: ).*)$"
    yield from yaml.safe_load_all(re.sub(yaml_line, r"\1\2", text, flags=re.MULTILINE))


def test_the_examples_in_the_manifests_are_valid() -> None:
    policy, serve, work = uncommented("network-policy.yaml")
    (monitoring,) = work["spec"]["ingress"]
    assert monitoring["ports"] == [{"protocol": "TCP", "port": 8331}]
    assert policy["spec"]["egress"][-1]["ports"] == [{"protocol": "TCP", "port": 5432}]
    assert policy["spec"]["egress"][-1]["to"] == [{"ipBlock": {"cidr": "203.0.113.0/24"}}]
    names = [one["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]
             for one in serve["spec"]["ingress"][0]["from"]]  # fmt: skip
    assert names == ["ingress-nginx", "monitoring", "bots"]
    (config,) = uncommented("configmap.yaml")
    assert "TAISHI__SERVER__TRUSTED_PROXIES" in config["data"]
    check_environment(config["data"])
    (secret,) = uncommented("secret.example.yaml")
    assert secret["stringData"]["ca.crt"].startswith("-----BEGIN")
    mounts = of_kind("Deployment")[0]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    text = (KUBERNETES / "secret.example.yaml").read_text()
    assert any(f"sslrootcert={mount['mountPath']}/ca.crt" in text for mount in mounts)


@pytest.mark.parametrize("page", ["deploy.md", "deploy.zh-CN.md"])
def test_the_page_runs_other_commands_as_the_unit_does(page: str) -> None:
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    lines = re.findall(r"^sudo systemd-run .*$", text.replace("\\\n", ""), re.MULTILINE)
    unit = (DEPLOY / "systemd" / "taishi-serve.service").read_text()
    for line, properties in zip(lines, (6, 3, 3, 3), strict=True):
        given = re.findall(r"--property=(\S+)", line)
        assert len(given) == properties and all(f"\n{one}\n" in unit for one in given)
        program, *words = line.split("environment ")[1].split()
        assert f"ExecStart={program} " in unit
        check_command(words)
        assert f"python3 -m venv {Path(program).parents[1]}" in text


UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def test_there_is_a_unit_for_both_processes() -> None:
    assert [unit.name for unit in UNITS] == ["taishi-serve.service", "taishi-work.service"]
    for page in ("deploy.md", "deploy.zh-CN.md"):
        text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
        assert all(f"deploy/systemd/{unit.name}" in text or "deploy/systemd/*" in text
                   for unit in UNITS)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_runs_a_known_command_without_rights(unit: Path) -> None:
    lines = [line for line in unit.read_text().splitlines() if "=" in line and line[0] != "#"]
    told = dict(line.split("=", 1) for line in lines)
    program, *arguments = told["ExecStart"].split()
    assert Path(program).name == "taishi"
    check_command(arguments)
    check_environment(dict([told["Environment"].split("=", 1)]))
    assert told["User"] == "taishi" and told["NoNewPrivileges"] == "true"
    assert told["Environment"].endswith(f"=/var/lib/{told['StateDirectory']}/data")
    assert int(told["TimeoutStopSec"]) >= load().server.shutdown_seconds + 30
    if "--heartbeat" in arguments:
        file = Path(arguments[arguments.index("--heartbeat") + 1])
        assert file.parent == Path("/run", told["RuntimeDirectory"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_understands_a_unit(unit: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    text = unit.read_text().replace("/opt/taishi/bin/taishi", "/bin/true")
    (tmp_path / unit.name).write_text(text)
    done = subprocess.run(
        [analyze, "verify", str(tmp_path / unit.name)], capture_output=True, text=True
    )
    told = [line for line in done.stderr.splitlines() if unit.name in line]
    assert not told and done.returncode == 0, done.stderr


def test_every_alert_asks_for_what_there_is_and_is_on_the_page() -> None:
    (group,) = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())["groups"]
    pages = [
        (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")
        for name in ("monitor.md", "monitor.zh-CN.md")
    ]
    known = {metric.name: metric for metric in (*METRICS, *SERVER_METRICS)}
    for rule in group["rules"]:
        expression = rule["expr"]
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"]["summary"]
        assert expression.count("(") == expression.count(")")
        for series, _, wanted in re.findall(r"\b(taishi_\w+)(\{(.*?)\})?", expression):
            metric = known[re.sub(r"_(bucket|count|sum)$", "", series)]
            assert set(re.findall(r"(\w+)[!=]", wanted)) <= set(metric.labels), expression
            given = re.findall(r'(\w+)="(\w+)"', wanted)
            assert all(value in page for _, value in given for page in pages), expression
        assert all(f"`{expression.replace('|', chr(92) + '|')}`" in page for page in pages), rule
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names)


def test_workers_are_scraped_at_the_port_they_listen_on() -> None:
    (work,) = (one for one in of_kind("Deployment") if one["metadata"]["name"] == "taishi-work")
    template = work["spec"]["template"]
    (container,) = template["spec"]["containers"]
    port = template["metadata"]["annotations"]["prometheus.io/port"]
    assert f"--metrics-port={port}" in container["args"]
    assert container["ports"] == [{"name": "metrics", "containerPort": int(port)}]
    assert f"--metrics-port={port}" in SERVICES["work"]["command"]
    assert "--metrics-port 8331" in (DEPLOY / "systemd" / "taishi-work.service").read_text()
