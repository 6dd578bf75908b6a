#!/usr/bin/env python3
"""Asks a running `fovea serve` from many connections: first as fast as it answers, which is its capacity, then at a rate.

usage: bench/serve_load.py [--port 8000] [--seconds 10] [--clients 16] [--times 1 4]

Prints requests a second, median and 99th percentile of the time of those answered and of those refused, and how many there were
of each status. The capacity is measured with requests that follow one another; at N times the capacity they are sent by the
clock, and a request whose time has come counts from then on, whether or not the one before it was answered (no coordinated
omission). Refusals and /healthz, which is asked beside it, count from when they were sent: how long a client was behind its
clock says nothing of them. Ends with status 1 if the server goes away.
"""
import argparse
import json
import multiprocessing
import socket
import sys
import time

PATIENCE = 10  # seconds that anything may take

DATES = ["3rd of May 1999", "May 5, 2021", "1 jan 87", "tuesday 12 march 2013", "2004/11/30", "the 9th of october 1958"]


def request(port, path, body=None):
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: localhost:{port}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return (head + "\r\n" + (body or "")).encode()


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection):
    more = connection.recv(65536)
    if not more:
        raise ConnectionError("closed by the server")
    return more


def ask(connection, data):
    connection.sendall(data)
    come = b""
    while b"\r\n\r\n" not in come:
        come += receive(connection)
    head, body = come.split(b"\r\n\r\n", 1)
    length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")).split(b":")[1])
    while len(body) < length:
        body += receive(connection)
    return int(head.split(b" ", 2)[1])


def client(port, number, seconds, period, start):
    """Sends one request every `period` seconds (0: when the last is answered): status, and times since it was due and sent."""
    connection = connect(port)
    done, i = [], 0
    while True:
        due = start + (i + number / 1000) * period if period else max(start, time.time())
        i += 1
        if max(due, time.time()) >= start + seconds:
            return done
        time.sleep(max(0, due - time.time()))
        if number < 0:
            data = request(port, "/healthz")
        else:
            data = request(port, "/v1/predict", json.dumps({"text": DATES[(number + i) % len(DATES)]}))
        sent = time.time()
        try:
            status = ask(connection, data)
        except OSError:
            status = 0
        now = time.time()
        done.append((status, now - due, now - sent))
        if status == 0:
            connection.close()
            connection = connect(port)


def percentile(values, share):
    values = sorted(values)
    return 1000 * values[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def measure(port, clients, seconds, rate):
    start = time.time() + 0.5 + 0.01 * clients  # when all of them stand ready
    period = clients / rate if rate else 0
    tasks = [(port, number, seconds, period, start) for number in range(clients)] + [(port, -1, seconds, 0.1, start)]
    with multiprocessing.Pool(len(tasks)) as pool:
        # What a client waits for has an end of its own; this one is for clients that are killed.
        *asked, health = pool.starmap_async(client, tasks, chunksize=1).get(start - time.time() + seconds + 3 * PATIENCE)
    done = [one for some in asked for one in some]
    health = [took for _, _, took in health]
    counts = {status: sum(one[0] == status for one in done) for status in sorted({one[0] for one in done})}
    good = [took for status, took, _ in done if status == 200]
    refused = [took for status, _, took in done if status == 503]
    print(
        f"{len(good) / seconds:8.0f} answers/s  p50 {percentile(good, 0.5):7.2f} ms  p99 {percentile(good, 0.99):7.2f} ms   "
        f"refused p99 {percentile(refused, 0.99):6.2f} ms   /healthz p99 {percentile(health, 0.99):6.2f} ms   {counts}",
        flush=True,
    )
    return len(good) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--times", type=float, nargs="*", default=[1, 4])
    options = parser.parse_args()
    print("one after the other:       ", end="")
    measure(options.port, 1, options.seconds, 0)
    print(f"{options.clients:3} clients at once:        ", end="")
    capacity = measure(options.port, options.clients, options.seconds, 0)
    for times in options.times:
        clients = options.clients if times <= 1 else 128
        print(f"{times:g} times that, {clients:3} clients: ", end="")
        measure(options.port, clients, options.seconds, times * capacity)


if __name__ == "__main__":
    try:
        main()
    except (OSError, multiprocessing.TimeoutError) as error:
        sys.exit(f"serve_load.py: {error or 'a client did not end'}")
