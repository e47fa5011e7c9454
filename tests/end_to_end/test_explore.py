"""The command `explore`: its server, who may ask it, and how it ends."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ldp_auditor import Choice, choose
from ldp_auditor.exploring.server import Handler
from ldp_auditor.report.choices import choice_content
from tests.end_to_end.command import EXECUTABLE, in_session, run, run_json
from tests.end_to_end.listening import listening
from tests.end_to_end.sweeping import session_of, wait_until
from tests.exploring import ASKED, Client, served

LONG = {"protocols": ["SS"], "domain_size": 1000, "reports": 500, "trials": 10**7}
"""A measurement that takes hours."""


@contextlib.contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """Run the command in a session of its own; it says where it is."""
    with in_session([EXECUTABLE, "explore", "--no-browser", *options]) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        found = re.fullmatch(
            r"exploring at (http://127\.0\.0\.1:\d+/[\w-]{32}/) \(Ctrl-C ends it\)\n", first
        )
        assert found, first
        yield process, Client(found[1])


def ended(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C; it ends well, long before a measurement would, and leaves nothing."""
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "")
    assert errors == "ldp-auditor: explore has ended\n"
    wait_until(lambda: not session_of(process), f"processes are left: {session_of(process)}")


def test_it_listens_on_loopback_only_and_ends_with_ctrl_c() -> None:
    with started() as (process, client):
        status, headers, page = client.send("GET", client.root)
        assert status == 200
        assert b"<!DOCTYPE html>" in page
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe-eval" not in headers["Content-Security-Policy"]
        assert "Python" not in headers["Server"]
        (place,) = listening(list(session_of(process)))
        assert place == f"0100007F:{client.port:04X}"
        ended(process)


def test_ctrl_c_ends_it_during_a_measurement() -> None:
    with started() as (process, client):
        assert client.ask("measure", {**ASKED, **LONG})[0] == 200
        wait_until(lambda: client.ask("progress")[1]["done"] > 0, "nothing was measured")
        ended(process)


def test_the_port_can_be_chosen_and_may_be_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("explore", "--no-browser", "--port", str(port))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ldp-auditor: cannot listen on port {port}: ")
    with started("--port", str(port)) as (process, client):
        assert client.port == port
        ended(process)
    assert run("explore", "--port", "70000").returncode == 2


def test_measured_counts_are_those_of_the_command(client: Client) -> None:
    asked = {**ASKED, "protocols": ["OUE", "AGRR"], "reports": 3, "trials": 30_000, "seed": 7}
    status, first = client.ask("measure", asked)
    assert status == 200
    assert (first["state"], first["trials"]) == ("running", 2 * 2 * 30_000)
    now = client.measured()
    assert (now["state"], now["done"], now["failure"]) == ("done", now["trials"], "")
    for result in now["results"]:
        words = result["command"].split()
        assert words[:2] == ["ldp-auditor", "audit"]
        told = run_json(*words[1:])
        same = ("mechanism", "epsilon", "delta", "domain_size", "reports", "trials", "alpha",
                "seed", "attack", "true_positives", "false_positives", "empirical_epsilon",
                "attack_epsilon", "worst_case_epsilon", "claimed_epsilon", "verdict")  # fmt: skip
        assert {name: result[name] for name in same} == {name: told[name] for name in same}
        assert result["sentence"].startswith("keeps its promise of epsilon = 3")
        curve = client.curves("reports", **{**asked, "protocols": [result["mechanism"]]})
        lines = {line["role"]: line for line in curve["leakage"]["cases"][0]["lines"]}
        assert list(lines) == ["claimed", "worst", "exact"]
        for role, key in (("exact", "attack"), ("worst", "worst_case"), ("claimed", "claimed")):
            at = lines[role]["x"].index(3)
            assert lines[role]["y"][at] == told[f"{key}_epsilon"]


OTHER_KINDS = ("LHO", "L-SUE", "SMP[OUE]", "CMS", "PM", "PrivUnit", "PCKV-GRR", "Planar-Laplace")


def test_protocols_of_every_kind_are_measured_as_by_the_command(client: Client) -> None:
    asked = {**ASKED, "protocols": list(OTHER_KINDS), "domain_size": 8, "trials": 2000}
    assert client.ask("measure", {**asked, "bound": "betting"})[0] == 200
    now = client.measured()
    assert (now["state"], now["failure"], now["refused"]) == ("done", "", [])
    assert {result["mechanism"] for result in now["results"]} == set(OTHER_KINDS)
    for result in now["results"]:
        told = run_json(*shlex.split(result["command"])[1:])
        for name in ("true_positives", "false_positives", "empirical_epsilon"):
            assert result[name] == told[name]
    names = [case["label"] for case in now["wealth"]["figure"]["cases"]]
    assert names == [result["mechanism"] for result in now["results"]]


def test_a_view_is_taken_along_and_has_the_same_numbers(client: Client, tmp_path: Path) -> None:
    asked = {**ASKED, "protocols": ["GRR", "L-SUE"], "axis": "domain_size"}
    exported = client.ask("export", asked)[1]
    words = shlex.split(exported["command"])[1:]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    notebook: dict[str, Any] = {}
    exec(exported["cell"], notebook)  # what a reader does with it
    assert notebook["shown"].rows == told["rows"]
    shown = client.curves("domain_size", protocols=["GRR", "L-SUE"])
    lines = {line["name"]: line for line in shown["leakage"]["cases"][0]["lines"]}
    for name in ("GRR", "L-SUE"):
        rows = [row for row in told["rows"] if row["mechanism"] == name]
        for line, key in (("attack", "attack_epsilon"), ("worst case", "worst_case_epsilon")):
            drawn = lines[f"{name}, {line}"]
            assert dict(zip(drawn["x"], drawn["y"], strict=True)) == {
                row["domain_size"]: row[key] for row in rows
            }
    assert b"</svg>" in (tmp_path / "explore.svg").read_bytes()
    query = quote(json.dumps(asked))
    for place, start in (
        ("leakage.svg", b"<?xml"),
        ("error.png", b"\x89PNG"),
        ("error.pdf", b"%PDF"),
    ):
        status, headers, content = client.send("GET", f"{client.root}{place}?{query}")
        assert (status, content[: len(start)]) == (200, start)
        assert headers["Content-Disposition"] == f'attachment; filename="explore-{place}"'


def test_figures_need_a_view(client: Client) -> None:
    for query, status in (("", 404), ("?x", 400), ("?" + quote("{}"), 400)):
        assert client.send("GET", f"{client.root}leakage.svg{query}")[0] == status


def test_the_largest_epsilon_is_found(client: Client) -> None:
    status, answer = client.ask("find", {**ASKED, "limited": "worst", "most": 2})
    assert status == 200
    assert answer["rows"] == [{"protocol": "GRR", "epsilon": 2.0, "words": "2.0000"}]
    wrong = client.ask("find", {**ASKED, "limited": "worst", "most": -1})[1]["wrong"]
    assert wrong == {"most": "most must be positive, got most=-1"}


def test_one_measurement_at_a_time_and_cancelled(client: Client) -> None:
    assert client.ask("measure", {**ASKED, **LONG})[0] == 200
    status, line = client.refused("measure", ASKED)
    assert (status, line) == (200, "a measurement is running; cancel it or wait for its end")
    client.curves("domain_size", protocols=["OUE"])
    assert client.ask("cancel", {})[0] == 200
    now = client.measured()
    assert (now["state"], now["results"]) == ("cancelled", [])
    assert client.ask("measure", ASKED)[0] == 200
    assert client.measured()["state"] == "done"


def test_a_protocol_that_cannot_take_part_is_told(client: Client) -> None:
    asked = {**ASKED, "protocols": ["GRR", "GM"], "epsilon": 2}
    assert client.ask("measure", asked)[0] == 200
    now = client.measured()
    assert [result["mechanism"] for result in now["results"]] == ["GRR"]
    assert "GM is defined for epsilon <= 1 only" in now["refused"][0]
    status, line = client.refused("measure", {**asked, "protocols": ["GM"]})
    assert status == 200
    assert line.startswith("GM is defined for epsilon <= 1 only, got epsilon=2")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"epsilon": -1}, "epsilon must be positive"),
        ({"epsilon": 1e999}, "a request must be valid JSON"),
        ({"alpha": 0}, "alpha must lie in (0, 1)"),
        ({"domain_size": 1}, "domain_size must be at least 2"),
        ({"trials": 10**9}, "trials goes up to 10,000,000 on this page"),
        ({"protocols": ["<img src=x onerror=alert(1)>"]}, "unknown protocol '<img src=x"),
        ({"protocols": ["\u202egnp"]}, "unknown protocol"),
    ],
)
def test_wrong_settings_are_one_line(client: Client, changed: dict[str, Any], words: str) -> None:
    _, line = client.refused("measure", {**ASKED, **changed})
    assert words in line
    (name,) = changed
    if line.startswith(name):  # the page marks the field
        assert client.ask("measure", {**ASKED, **changed})[1]["wrong"] == {name: line}
    assert "\u202e" not in line
    assert len(line) <= 400


FOREIGN = (
    {"Host": "evil.example"},
    {"Host": "evil.example:{port}"},
    {"Host": "127.0.0.1"},
    {"Host": ""},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1:{port}.evil.example"},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_others_are_refused(client: Client, headers: dict[str, str]) -> None:
    sent = {name: value.format(port=client.port) for name, value in headers.items()}
    for place, given in (("measure", ASKED), ("curves", {**ASKED, "axis": "epsilon"}), ("", None)):
        status, line = client.refused(place, given, **sent)
        assert status == 403
        assert client.root.strip("/") not in line


def sent_raw(client: Client, request: bytes) -> bytes:
    """Send bytes as they are; return all that comes back."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as raw:
        raw.sendall(request)
        return b"".join(iter(lambda: raw.recv(65_536), b""))


def test_two_hosts_are_refused(client: Client) -> None:
    own = f"Host: 127.0.0.1:{client.port}\r\n"
    assert sent_raw(client, f"GET {client.root} HTTP/1.1\r\n{own}\r\n".encode()).startswith(
        b"HTTP/1.0 200"
    )
    for hosts in (own + own, own + "Host: evil.example\r\n", "Host: evil.example\r\n" + own):
        answer = sent_raw(client, f"GET {client.root} HTTP/1.1\r\n{hosts}\r\n".encode())
        assert answer.startswith(b"HTTP/1.0 400")
        assert answer.endswith(b'{"error": "a request must have one Host header"}')


@pytest.mark.parametrize("body", [False, True], ids=["head", "body"])
def test_a_slow_sender_is_closed(monkeypatch: pytest.MonkeyPatch, body: bool) -> None:
    monkeypatch.setattr(Handler, "timeout", 0.3)
    with served() as client, socket.create_connection(("127.0.0.1", client.port)) as slow:
        if body:
            head = f"POST {client.root}curves HTTP/1.1\r\nContent-Length: 9000\r\n\r\n"
            slow.sendall(head.encode())
        slow.settimeout(0.02)
        for _ in range(1000):  # each byte well within the limit
            try:
                slow.sendall(b"x")
                if slow.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("a connection that sends a byte now and then was kept")


def test_the_page_itself_is_let_in(client: Client) -> None:
    for name in ("127.0.0.1", "localhost"):
        own = {"Host": f"{name}:{client.port}", "Origin": f"http://{name}:{client.port}"}
        asked = {**ASKED, "axis": "epsilon"}
        assert client.ask("curves", asked, **own, Sec_Fetch_Site="same-origin")[0] == 200


def test_without_the_key_nothing_is_told(client: Client) -> None:
    key = client.root.strip("/")
    for path in ("/", "/progress", "/wrong/", "/wrong/progress", f"/{key}", f"/{key[:-1]}/", "//",
                 f"/x/../{key}/", f"http://127.0.0.1:{client.port}/{key}/"):  # fmt: skip
        status, _, body = client.send("GET", path)
        assert status == 403, path
        assert b"the key is missing" in body
        assert key.encode() not in body
    body = b'{"error": "no"}'
    assert client.send("POST", "/measure", body, Content_Type="application/json")[0] == 403


def test_nothing_but_the_page_is_served(client: Client) -> None:
    for place in ("../", "../../etc/passwd", "..%2f..%2fetc/passwd", "style.css/../explore.js",
                  "explore.js", ".", "?x", "/etc/passwd", "%00"):  # fmt: skip
        status, _, body = client.send("GET", client.root + place)
        assert status == 404, place
        assert body == b'{"error": "there is nothing at this address"}'


def test_methods(client: Client) -> None:
    assert client.refused("measure")[0] == 405
    assert client.refused("", ASKED)[0] == 405
    assert client.refused("progress", ASKED)[0] == 405
    assert client.refused("nothing", ASKED)[0] == 404
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "XYZ"):
        status, headers, body = client.send(method, client.root + "measure")
        assert status == 501
        assert "Access-Control-Allow-Origin" not in headers
        assert body.startswith(b'{"error": ')


def test_bodies_are_short_json(client: Client) -> None:
    path, kind = client.root + "curves", {"Content_Type": "application/json"}
    for body in (b"", b"{", b"nonsense", b"\xff\xfe", b'{"epsilon": NaN}', b"[" * 5000,
                 b"9" * 5000, b'{"a": -Infinity}', b"[]", b"3", b"null", b'"x"'):  # fmt: skip
        status, _, answer = client.send("POST", path, body, **kind)
        assert status == 400, body
        assert b"a request must be" in answer
    for size in (10_001, 90_000):
        assert client.send("POST", path, b" " * size, **kind)[0] == 413
    with contextlib.suppress(ConnectionError):  # it may be cut off while still sending
        assert client.send("POST", path, b" " * 3_000_000, **kind)[0] == 413
    assert client.send("POST", path, b"{}", Content_Type="text/plain")[0] == 415
    assert client.send("POST", path, b"{}")[0] == 415
    for length in ("-1", "1e3", "x", "9" * 30):
        status = client.send("POST", path, None, Content_Length=length, **kind)[0]
        assert status in (411, 413)
    assert client.send("POST", path, None, Transfer_Encoding="chunked", **kind)[0] == 411


ASKED_CHOICE: dict[str, Any] = {
    "domain_size": 20,
    "users": 100_000,
    "reports": 1,
    "max_epsilon": 1.0,
    "max_error": 0.01,
}


def test_a_choice_is_that_of_the_command(client: Client) -> None:
    status, _, page = client.send("GET", client.root + "choose")
    assert status == 200
    assert b"Which protocol" in page
    status, answer = client.ask("answer", ASKED_CHOICE)
    assert status == 200
    assert answer["sentences"] == list(as_words(choose(**ASKED_CHOICE)))
    assert answer["figure"]["cases"][0]["most_x"] == 1
    assert len(answer["table"]["head"]) == len(answer["table"]["rows"][0])
    nothing = client.ask("answer", {**ASKED_CHOICE, "max_error": 1e-5})[1]
    assert nothing["sentences"][0].startswith("Nothing keeps all limits")


def test_a_choice_is_taken_along(client: Client, tmp_path: Path) -> None:
    asked = {**ASKED_CHOICE, "fingerprint": False}
    answer = client.ask("answer", asked)[1]
    done = run(*shlex.split(answer["command"])[1:], "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    notebook: dict[str, Any] = {}
    exec(answer["cell"], notebook)  # what a reader does with it
    assert list(as_words(notebook["found"])) == answer["sentences"]
    assert json.loads(done.stdout)["choice"] == notebook["found"].to_dict()["choice"]
    assert b"</svg>" in (tmp_path / "choose.svg").read_bytes()
    query = quote(json.dumps(asked))
    status, headers, content = client.send("GET", f"{client.root}choice.pdf?{query}")
    assert (status, content[:4]) == (200, b"%PDF")
    assert headers["Content-Disposition"] == 'attachment; filename="explore-choice.pdf"'
    for wrong, code in (("", 404), ("?x", 400), ("?" + quote('{"users": 1}'), 400)):
        assert client.send("GET", f"{client.root}choice.svg{wrong}")[0] == code


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"users": "many"}, "users must be a number"),
        ({"domain_size": 10**9}, "domain_size goes up to"),
        ({"max_epsilon": -1}, "max_epsilon must be positive"),
        ({"fingerprint": 3}, "fingerprint must be true or false"),
        ({"frequencies": "/etc/passwd"}, "unknown settings: frequencies"),
    ],
)
def test_wrong_questions_are_one_line(client: Client, changed: Any, words: str) -> None:
    assert words in client.refused("answer", {**ASKED_CHOICE, **changed})[1]


def as_words(found: Choice) -> Iterator[str]:
    """The sentences of a choice."""
    return (part for part in choice_content(found, every=True) if isinstance(part, str))


def test_it_goes_on_after_all_of_that(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port)) as silent:
        silent.sendall(b"nonsense\r\n\r\n")
        claimed, *_ = client.curves()["leakage"]["cases"][0]["lines"]
        assert (claimed["name"], claimed["y"][-1]) == ("claimed", 10)
