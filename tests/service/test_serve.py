from __future__ import annotations

import contextlib
import errno
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
from flask import Flask

import serve

# An app as small as serve() allows, which takes a moment to answer, as a hand on its way to a slow disk.
STUB = """
import os, sys, time
from flask import Flask, request
from serve import serve

app = Flask("stub")
app.config["LOG"] = "quiet"
app.config.update(SQLALCHEMY_DATABASE_URI="sqlite:///x", DATA_FOLDER="/the/books")
app.config["PROXIES"] = int(os.environ.get("PROXIES", "0"))

@app.get("/version")
def version():
    return "", 304

@app.get("/")
def index():
    time.sleep(0.5)
    return request.headers.get("X-Forwarded-For", "saved")

serve(app, sys.argv[1], int(sys.argv[2]))
print("served")
"""


@pytest.fixture
def start(pytestconfig):
    """Start the stub on a host and port in its own process; gives the process, which is gone afterwards."""
    started = []

    def start(host, port=0):
        process = subprocess.Popen(
            [sys.executable, "-c", STUB, host, str(port)],
            cwd=pytestconfig.rootpath,
            env=os.environ | {"PYTHONPATH": str(pytestconfig.rootpath), "PYTHONIOENCODING": "utf-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def announcement(process):
    """Everything the server says before it serves."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith("Stop with"):
        line = process.stdout.readline()
        assert line, process.stderr.read()
        lines.append(line)
    return "".join(lines)


def announced_port(said):
    """The port that the operator is told to open."""
    found = re.search(r"Open here: +http://127\.0\.0\.1:(\d+)\n", said)
    assert found, said
    return int(found[1])


def test_announced_address_answers_without_naming_the_server(start):
    """The address printed first is open when it is printed, and the answer does not name the server."""
    port = announced_port(announcement(start("127.0.0.1")))
    visit = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    visit.request("GET", "/")
    answer = visit.getresponse()
    assert (answer.status, answer.read()) == (200, b"saved")
    assert answer.headers["Server"] is None
    visit.close()


@pytest.mark.parametrize(("wish", "stays"), [("keep-alive", True), ("close", False)])
def test_who_is_told_nothing_new_may_ask_again_on_the_same_connection(start, wish, stays):
    """A phone that asks every second does not connect anew each time, unless it wants to."""
    port = announced_port(announcement(start("127.0.0.1")))
    with socket.create_connection(("127.0.0.1", port), timeout=10) as visit:
        question = f"GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: {wish}\r\n\r\n"
        for _ in range(3 if stays else 1):
            visit.sendall(question.encode())
            head = visit.recv(4096).decode()
            assert head.startswith("HTTP/1.1 304")
            assert head.endswith("\r\n\r\n")
            assert ("Connection: close" in head) is not stays
        visit.settimeout(1)
        if stays:
            with pytest.raises(TimeoutError):
                visit.recv(1)
        else:
            assert visit.recv(1) == b""


def test_where_many_phones_watch_none_keeps_its_connection(start):
    """Who only watches is not to take the place of a keeper who comes later."""
    port = announced_port(announcement(start("127.0.0.1")))
    with contextlib.ExitStack() as all_of_them:
        for _ in range(serve.MOST_KEPT):
            all_of_them.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        visit = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        visit.request("GET", "/version")
        answer = visit.getresponse()
        assert (answer.status, answer.headers["Connection"]) == (304, "close")
        visit.close()


@pytest.mark.parametrize(("proxies", "heard"), [("0", b"saved"), ("1", b"198.51.100.7")])
def test_what_proxies_say_is_passed_on_only_where_there_are_some(start, monkeypatch, proxies, heard):
    """Without a proxy in the settings nobody's made-up header reaches the app."""
    monkeypatch.setenv("PROXIES", proxies)
    port = announced_port(announcement(start("127.0.0.1")))
    visit = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    visit.request("GET", "/", headers={"X-Forwarded-For": "198.51.100.7"})
    assert visit.getresponse().read() == heard
    visit.close()


def test_own_computer_only_says_how_to_let_phones_in(start):
    """Served to this computer alone, the server names no address for a phone but the way to get one."""
    said = announcement(start("127.0.0.1"))
    assert said.count("http://") == 1
    assert "make run HOST=0.0.0.0" in said
    assert "The data lies: /the/books\n" in said


def test_phone_address_comes_with_a_code(capsys, monkeypatch):
    """The address for a phone is printed with a QR code in half blocks, framed by its quiet zone."""
    monkeypatch.setattr(serve, "network_address", lambda: "192.168.0.7")
    serve.announce(stub_app("sqlite:///x"), "0.0.0.0", 8000)
    said = capsys.readouterr().out
    assert "Open here:     http://127.0.0.1:8000\n" in said
    assert "On a phone:    http://192.168.0.7:8000 (in the same network)\n" in said
    code = [line for line in said.splitlines() if line and set(line) <= set("█▀▄ ")]
    width = len(code[0])
    assert code[0] == code[1] == "█" * width
    assert {len(line) for line in code} == {width}
    assert len(code) == (width + 1) // 2


def test_no_network_is_said_plainly(capsys, monkeypatch):
    """A computer in no network says so and prints no code."""
    monkeypatch.setattr(serve, "network_address", lambda: None)
    serve.announce(stub_app("sqlite:///x"), "0.0.0.0", 8000)
    said = capsys.readouterr().out
    assert "in no network" in said
    assert "█" not in said


def test_network_address_is_never_this_computer_alone(monkeypatch):
    """Where there is no way out and the own name means loopback, there is no address for a phone."""

    def unreachable(*_):
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    monkeypatch.setattr(socket, "gethostbyname", lambda _: "127.0.1.1")
    assert serve.network_address() is None
    monkeypatch.setattr(socket, "gethostbyname", lambda _: "192.168.0.7")
    assert serve.network_address() == "192.168.0.7"


def test_database_is_named_without_its_password(capsys):
    """Another server's database is named, its password and whatever else its address carries are not."""
    address = "postgresql+psycopg://app:secret@db.example/book?password=secret2"
    serve.announce(stub_app(address), "127.0.0.1", 8000)
    said = capsys.readouterr().out
    assert "The data lies: postgresql+psycopg://app:***@db.example/book\n" in said
    assert "secret" not in said


def test_taken_port_is_one_line(start):
    """A taken port ends the server with status 1 and one line that names the next port to try."""
    port = announced_port(announcement(start("127.0.0.1")))
    out, err = (second := start("127.0.0.1", port)).communicate(timeout=20)
    assert second.returncode == 1
    assert (out, err) == ("", f"Port {port} is taken; try: make run PORT={port + 1}\n")


@pytest.mark.parametrize(
    ("refusal", "line"),
    [
        (OSError(errno.EADDRINUSE, "in use"), "Port 65535 is taken; try: make run PORT=8000"),
        (
            PermissionError(errno.EACCES, "denied"),
            "Port 65535 needs an administrator's rights; try: make run PORT=8000",
        ),
        (
            OSError(errno.EADDRNOTAVAIL, "no such address"),
            "Cannot listen on here port 65535: no such address",
        ),
        (OverflowError("port must be 0-65535"), "Cannot listen on here port 65535: port must be 0-65535"),
    ],
)
def test_refused_port_is_explained(monkeypatch, refusal, line):
    """Whatever the system has against the port, the operator reads one line and no traceback."""

    def refuse(*_, **__):
        raise refusal

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(SystemExit) as end:
        serve.listen("here", 65535)
    assert end.value.code == line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_it_after_the_answer_under_way(start, number):
    """SIGTERM and Ctrl-C end the server with status 0 and no traceback, after the answer it was writing."""
    process = start("127.0.0.1")
    visit = http.client.HTTPConnection("127.0.0.1", announced_port(announcement(process)), timeout=10)
    visit.request("GET", "/")
    time.sleep(0.2)  # the request is with the app now, which takes longer than this to answer
    process.send_signal(number)
    assert visit.getresponse().read() == b"saved"
    visit.close()
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "served\n", "")


def stub_app(database):
    """An app that has only what the announcement asks for."""
    app = Flask("stub")
    app.config.update(SQLALCHEMY_DATABASE_URI=database, DATA_FOLDER="/the/books")
    return app
