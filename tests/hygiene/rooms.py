"""The rooms of the source tree and the doors between them.

A room is a folder with C++ sources. A door leads from a room to one whose headers it includes. The table is ordered: a room's doors lead
upwards in it, so there is no circle. It holds just what the sources include, no more and no less, and docs/architecture.md shows it.
"""

import os

# Room: the rooms that it includes. FOLDER/* stands for each room of the folder that has no row of its own; these have no doors to one
# another.
ROOMS = {
    "rdma/base": [],
    "rdma/seam": ["rdma/base"],
    "simnic": ["rdma/base", "rdma/seam"],
    "rdma/hardware": ["rdma/base", "rdma/seam"],
    "rdma/memory": ["rdma/base", "rdma/seam"],
    "rdma/fibers": ["rdma/base", "rdma/seam"],
    "rdma/device": ["rdma/base", "rdma/fibers", "rdma/memory", "rdma/seam"],
    "rdma/chain": ["rdma/base"],
    "rdma/one_sided": ["rdma/base", "rdma/device", "rdma/fibers", "rdma/memory"],
    "rdma/rpc": ["rdma/base", "rdma/device", "rdma/fibers", "rdma/memory"],
    "rdma/prism": [
        "rdma/base",
        "rdma/chain",
        "rdma/device",
        "rdma/fibers",
        "rdma/memory",
        "rdma/one_sided",
        "rdma/rpc",
        "rdma/seam",
    ],
    "rdma": [
        "rdma/base",
        "rdma/device",
        "rdma/fibers",
        "rdma/memory",
        "rdma/one_sided",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
    ],
    "txn": ["rdma", "rdma/base", "rdma/device"],
    "txn/plan": ["rdma/base"],
    "txn/index": ["rdma/base", "rdma/seam", "txn"],
    "txn/store": ["rdma/base", "rdma/seam", "txn", "txn/index"],
    "txn/log": ["rdma/base", "rdma/seam", "txn", "txn/store"],
    "txn/check": ["rdma/base", "txn", "txn/store"],
    "txn/occ/node": ["rdma", "rdma/base", "rdma/rpc", "rdma/seam", "txn", "txn/check", "txn/index", "txn/log", "txn/plan", "txn/store"],
    "txn/occ/log": ["rdma", "rdma/base", "rdma/rpc", "txn", "txn/log", "txn/occ/node", "txn/store"],
    "txn/occ/attempt": [
        "rdma",
        "rdma/base",
        "rdma/one_sided",
        "rdma/rpc",
        "txn",
        "txn/check",
        "txn/occ/log",
        "txn/occ/node",
        "txn/plan",
        "txn/store",
    ],
    "txn/occ/execution": ["rdma/base", "txn", "txn/index", "txn/occ/attempt", "txn/occ/node", "txn/store"],
    "txn/occ/commit": ["rdma/base", "rdma/rpc", "txn/log", "txn/occ/attempt", "txn/occ/log", "txn/occ/node", "txn/store"],
    "txn/occ": [
        "rdma",
        "rdma/base",
        "rdma/device",
        "rdma/rpc",
        "txn",
        "txn/log",
        "txn/occ/attempt",
        "txn/occ/commit",
        "txn/occ/execution",
        "txn/occ/log",
        "txn/occ/node",
        "txn/plan",
        "txn/store",
    ],
    "txn/nam": ["rdma/base", "rdma/rpc", "txn"],
    "txn/nam/records": ["rdma", "rdma/base", "rdma/one_sided", "rdma/seam", "txn", "txn/index"],
    "txn/nam/oracle": ["rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "rdma/seam", "txn", "txn/nam", "txn/nam/records"],
    "txn/nam/versions": ["rdma", "rdma/base", "rdma/seam", "txn/nam", "txn/nam/records"],
    "txn/nam/index": [
        "rdma",
        "rdma/base",
        "rdma/one_sided",
        "rdma/rpc",
        "rdma/seam",
        "txn",
        "txn/index",
        "txn/nam",
        "txn/nam/oracle",
        "txn/nam/records",
        "txn/nam/versions",
    ],
    "txn/nam/durability": [
        "rdma",
        "rdma/base",
        "rdma/one_sided",
        "rdma/rpc",
        "txn",
        "txn/nam",
        "txn/nam/index",
        "txn/nam/oracle",
        "txn/nam/records",
    ],
    "txn/nam/transaction": [
        "rdma",
        "rdma/base",
        "rdma/one_sided",
        "rdma/rpc",
        "txn",
        "txn/index",
        "txn/nam",
        "txn/nam/durability",
        "txn/nam/index",
        "txn/nam/oracle",
        "txn/nam/records",
        "txn/nam/versions",
    ],
    "txn/nam/node": [
        "rdma",
        "rdma/base",
        "rdma/device",
        "rdma/rpc",
        "txn",
        "txn/nam",
        "txn/nam/durability",
        "txn/nam/index",
        "txn/nam/oracle",
        "txn/nam/records",
        "txn/nam/transaction",
        "txn/nam/versions",
        "txn/plan",
    ],
    "txn/si2pc": ["rdma", "rdma/base", "rdma/device", "rdma/rpc", "rdma/seam", "txn", "txn/index", "txn/plan", "txn/store"],
    "txn/prism": [
        "rdma",
        "rdma/base",
        "rdma/chain",
        "rdma/device",
        "rdma/memory",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
        "txn",
        "txn/plan",
    ],
    "txn/kv": [
        "rdma",
        "rdma/base",
        "rdma/chain",
        "rdma/memory",
        "rdma/one_sided",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
        "txn",
        "txn/prism",
    ],
    "txn/blocks": [
        "rdma",
        "rdma/base",
        "rdma/chain",
        "rdma/device",
        "rdma/memory",
        "rdma/one_sided",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
        "txn",
        "txn/prism",
    ],
    "txn/prism_tx": [
        "rdma",
        "rdma/base",
        "rdma/chain",
        "rdma/prism",
        "rdma/rpc",
        "txn",
        "txn/prism",
    ],
    "txn/registry": ["rdma/base", "txn", "txn/blocks", "txn/kv", "txn/nam/node", "txn/occ", "txn/plan", "txn/prism_tx", "txn/si2pc"],
    "workloads": ["rdma/base", "txn"],
    "workloads/*": ["rdma/base", "txn", "workloads"],
    "workloads/registry": ["rdma/base", "workloads", "workloads/*"],
    "workloads/measure": ["rdma/base"],
    "workloads/run": ["rdma", "rdma/base", "rdma/device", "rdma/seam", "txn", "txn/check", "workloads", "workloads/measure"],
    "experiments/bench": [
        "rdma",
        "rdma/base",
        "rdma/chain",
        "rdma/device",
        "rdma/one_sided",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
        "workloads/measure",
        "workloads/run",
    ],
    "experiments/config": [
        "experiments/bench",
        "rdma/base",
        "rdma/device",
        "rdma/one_sided",
        "rdma/seam",
        "simnic",
        "txn",
        "txn/registry",
        "workloads",
        "workloads/registry",
        "workloads/run",
    ],
    "experiments/session": [
        "experiments/config",
        "rdma",
        "rdma/base",
        "rdma/device",
        "rdma/hardware",
        "rdma/one_sided",
        "rdma/seam",
        "simnic",
    ],
    "experiments/plot": [],
    "experiments/paths": ["rdma/base", "rdma/seam", "simnic"],
    "experiments/report": [
        "experiments/config",
        "experiments/paths",
        "rdma/base",
        "rdma/seam",
        "simnic",
        "txn",
        "txn/check",
        "txn/plan",
        "txn/store",
        "workloads/measure",
        "workloads/run",
    ],
    "experiments/explain": [
        "experiments/bench",
        "experiments/config",
        "experiments/paths",
        "experiments/report",
        "experiments/session",
        "rdma",
        "rdma/base",
        "rdma/device",
        "rdma/one_sided",
        "rdma/prism",
        "rdma/rpc",
        "rdma/seam",
        "simnic",
    ],
    "experiments/points": [
        "experiments/config",
        "experiments/report",
        "rdma/base",
        "rdma/seam",
        "txn/registry",
        "workloads/registry",
    ],
    "experiments/reproduce": [
        "experiments/config",
        "experiments/plot",
        "experiments/points",
        "experiments/report",
        "rdma/base",
        "rdma/chain",
        "txn/plan",
    ],
    "experiments/hunt": [
        "experiments/config",
        "experiments/points",
        "experiments/report",
        "rdma/base",
        "txn",
        "txn/registry",
        "workloads/registry",
    ],
    "experiments/compare": ["experiments/config", "experiments/points", "experiments/report", "rdma/base"],
    "experiments/sweep": ["experiments/config", "experiments/plot", "experiments/points", "experiments/report", "rdma/base"],
    "experiments/cli": [
        "experiments/bench",
        "experiments/compare",
        "experiments/config",
        "experiments/explain",
        "experiments/hunt",
        "experiments/paths",
        "experiments/plot",
        "experiments/points",
        "experiments/report",
        "experiments/reproduce",
        "experiments/session",
        "experiments/sweep",
        "rdma/base",
        "rdma/device",
        "rdma/hardware",
        "rdma/seam",
        "simnic",
        "txn/registry",
        "workloads/registry",
        "workloads/run",
    ],
    "experiments": ["experiments/cli"],
}


def table_findings(rooms):
    """What is wrong with a table of rooms in itself."""
    above = set()
    for room, doors in rooms.items():
        for door in doors:
            if door not in above:
                yield "%s has a door to %s, which does not stand above it" % (room, door)
        if doors != sorted(doors):
            yield "the doors of %s are not sorted" % room
        above.add(room)


def row_of(room, rooms):
    """The row that a room has in a table, which may be that of its folder's rooms."""
    folder = os.path.dirname(room) + "/*"
    return folder if room not in rooms and folder in rooms else room


def use_findings(rooms, used_by_rooms):
    """Where a table differs from what sources use: {room: set of rooms that its sources include}."""
    used = {}
    for room, doors in used_by_rooms.items():
        used.setdefault(row_of(room, rooms), set()).update(row_of(door, rooms) for door in doors)
    for room in sorted(set(rooms) | set(used)):
        if room not in rooms:
            yield "%s is not in the table of rooms" % room
        elif room not in used:
            yield "%s has no sources" % room
        else:
            for door in sorted(used[room] - set(rooms[room])):
                yield "%s includes %s, and the table of rooms has no such door" % (room, door)
            for door in sorted(set(rooms[room]) - used[room]):
                yield "no source of %s includes %s: the door can go" % (room, door)


def shown_table(text):
    """The table that a document shows: rows of `room`, what it holds, and its doors."""
    shown = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`") and cells[0].strip("`") in ROOMS:
            shown[cells[0].strip("`")] = [door.strip().strip("`") for door in cells[2].split(",") if door.strip()]
    return shown
