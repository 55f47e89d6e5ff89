"""A small checker of Jepsen's histories of read-write registers, which knows nothing of verbena: it infers the order of a register's
values from what transactions read before they wrote, as Elle does, and looks for cycles of dependencies."""

import json
import re

TOKEN = re.compile(r'\s*(?:,\s*)*(?P<token>[\[\]{}]|"(?:[^"\\]|\\.)*"|:?[\w/@.-]+)')


def parse_edn(text):
    """Maps, vectors, keywords (as strings without the colon), strings, integers and nil of EDN."""
    tokens = [match.group("token") for match in TOKEN.finditer(text)]
    assert "".join(tokens) == re.sub(r"[\s,]+", "", text), "not understood: " + text[:200]
    position = 0

    def value():
        nonlocal position
        token = tokens[position]
        position += 1
        if token in "[{":
            items = []
            while tokens[position] not in "]}":
                items.append(value())
            position += 1
            return items if token == "[" else dict(zip(items[::2], items[1::2], strict=True))
        if token[0] == '"':
            return json.loads(token)
        if token[0] == ":":
            return token[1:]
        return None if token == "nil" else int(token)

    parsed = value()
    assert position == len(tokens), "more than one value in a line"
    return parsed


def read_history(path):
    """The operations of a file, in its order."""
    parse = parse_edn if path.endswith(".edn") else json.loads
    with open(path, encoding="utf-8") as file:
        return [parse(line) for line in file]


class Transaction:
    def __init__(self, invoked, completed):
        self.invoked, self.completed = invoked["index"], completed["index"]
        self.ok = completed["type"] == "ok"
        self.reads, self.writes = {}, {}
        for kind, key, value in completed["value"]:
            {"r": self.reads, "w": self.writes}[kind][key] = value


def transactions_of(operations):
    """Invocations with their completions; asserts what Jepsen promises of a history."""
    running, found = {}, []
    last_time = None
    for index, operation in enumerate(operations):
        assert operation["index"] == index and operation["f"] == "txn"
        assert last_time is None or operation["time"] >= last_time, "times go back"
        last_time = operation["time"]
        process = operation["process"]
        if operation["type"] == "invoke":
            assert process not in running, "a process does two things at once"
            assert all(value is None for kind, _, value in operation["value"] if kind == "r")
            running[process] = operation
        else:
            assert operation["type"] in ("ok", "fail")
            invoked = running.pop(process)
            written = [[op for op in each["value"] if op[0] == "w"] for each in (invoked, operation)]
            assert written[0] == written[1], "wrote what it did not say"
            found.append(Transaction(invoked, operation))
    assert not running, "without an end"
    return found


def has_cycle(nodes, edges):
    incoming, successors = [0] * nodes, [[] for _ in range(nodes)]
    for a, b in edges:
        incoming[b] += 1
        successors[a].append(b)
    ready = [node for node in range(nodes) if incoming[node] == 0]
    ordered = 0
    while ready:
        ordered += 1
        for successor in successors[ready.pop()]:
            incoming[successor] -= 1
            if incoming[successor] == 0:
                ready.append(successor)
    return ordered < nodes


def dependencies(committed, writer):
    """Edges between transactions by their numbers: write-read, write-write, read-write."""
    replaced = {}  # by register and value: who wrote the next
    for number, transaction in enumerate(committed):
        for key in transaction.writes:
            if key in transaction.reads:
                replaced.setdefault((key, transaction.reads[key]), []).append(number)
    for number, transaction in enumerate(committed):
        for key, value in transaction.reads.items():
            if (key, value) in writer:
                yield writer[key, value], number
            yield from ((number, other) for other in replaced.get((key, value), ()))
        for key, value in transaction.writes.items():
            yield from ((number, other) for other in replaced.get((key, value), ()))


def time_edges(committed):
    """Each transaction comes before all that were invoked after its completion, by a chain of further nodes."""
    events = sorted([(t.completed, True, n) for n, t in enumerate(committed)] + [(t.invoked, False, n) for n, t in enumerate(committed)])
    chain = len(committed) - 1
    for _, is_completion, number in events:
        if is_completion:
            chain += 1
            yield number, chain
            if chain > len(committed):
                yield chain - 1, chain
        elif chain >= len(committed):
            yield chain, number


def anomalies(operations):
    """Names of what is wrong with a history: the empty set for one that is strictly serializable."""
    transactions = transactions_of(operations)
    committed = [transaction for transaction in transactions if transaction.ok]
    found, writer = set(), {}
    for number, transaction in enumerate(committed):
        for key, value in transaction.writes.items():
            assert (key, value) not in writer, "a value is written twice"
            writer[key, value] = number
    aborted = {(key, value) for t in transactions if not t.ok for key, value in t.writes.items()}
    assert not aborted & set(writer), "a value of a failed operation is written by another"
    for transaction in committed:
        for register in transaction.reads.items():
            if register[1] is not None and register not in writer:
                found.add("aborted read" if register in aborted else "read of what nobody wrote")
    edges = [edge for edge in dependencies(committed, writer) if edge[0] != edge[1]]
    if has_cycle(len(committed), edges):
        found.add("cycle")
    elif has_cycle(2 * len(committed), edges + list(time_edges(committed))):
        found.add("cycle through time")
    return found
