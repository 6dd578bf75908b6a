#!/usr/bin/env python3
"""Asks a running `fovea serve` from many connections: first as fast as it answers, which is its capacity, then at a rate.

usage: bench/serve_load.py [--port 8000] [--seconds 10] [--clients 16] [--times 1 4]

Prints requests a second, median and 99th percentile of the time of those answered and of those refused, and how many there were
of each status. The capacity is measured with requests that follow one another; at N times the capacity they are sent by the
clock, and a request whose time has come counts from then on, whether or not the one before it was answered (no coordinated
omission). /healthz is asked beside it.
"""
import argparse
import json
import multiprocessing
import socket
import time

DATES = ["3rd of May 1999", "May 5, 2021", "1 jan 87", "tuesday 12 march 2013", "2004/11/30", "the 9th of october 1958"]


def request(port, path, body=None):
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: localhost:{port}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return (head + "\r\n" + (body or "")).encode()


def ask(connection, data):
    connection.sendall(data)
    come = b""
    while b"\r\n\r\n" not in come:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError
        come += more
    head, body = come.split(b"\r\n\r\n", 1)
    length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")).split(b":")[1])
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split(b" ", 2)[1])


def client(port, number, seconds, period, start, out):
    """Sends one request every `period` seconds (0: when the last is answered)."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    done, i = [], 0
    while time.time() < start:
        time.sleep(0.001)
    while time.time() < start + seconds:
        due = start + (i + number / 1000) * period if period else time.time()
        i += 1
        if due > time.time():
            time.sleep(due - time.time())
        if number < 0:
            data = request(port, "/healthz")
        else:
            data = request(port, "/v1/predict", json.dumps({"text": DATES[(number + i) % len(DATES)]}))
        try:
            status = ask(connection, data)
        except OSError:
            status = 0
            connection = socket.create_connection(("127.0.0.1", port))
        done.append((status, time.time() - due))
    out.put((number, done))


def percentile(values, share):
    values = sorted(values)
    return 1000 * values[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def measure(port, clients, seconds, rate):
    out = multiprocessing.Queue()
    start = time.time() + 0.5
    period = clients / rate if rate else 0
    numbers = list(range(clients)) + [-1]
    processes = [
        multiprocessing.Process(target=client, args=(port, n, seconds, period if n >= 0 else 0.1, start, out)) for n in numbers
    ]
    for process in processes:
        process.start()
    results = [out.get() for _ in processes]
    for process in processes:
        process.join()
    done = [one for number, some in results if number >= 0 for one in some]
    health = [took for number, some in results if number < 0 for _, took in some]
    counts = {status: sum(s == status for s, _ in done) for status in sorted({s for s, _ in done})}
    good = [took for status, took in done if status == 200]
    refused = [took for status, took in done if status == 503]
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
    main()
