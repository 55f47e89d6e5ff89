"""The rooms of the source tree and the doors between them.

A room is a folder with C++ sources. A door leads from a room to one whose headers it includes. The table is ordered: a room's doors lead
upwards in it, so there is no circle. It holds just what the sources include, no more and no less, and docs/architecture.md shows it.
"""

import os

# Room: the rooms that it includes. FOLDER/* stands for each room of the folder that has no row of its own; these have no doors to one
# another.
ROOMS = {
    "rdma/base/text": [],
    "rdma/base": ["rdma/base/text"],
    "rdma/seam": ["rdma/base"],
    "rdma/chain": ["rdma/base"],
    "simnic/platform_text": ["rdma/base", "rdma/base/text"],
    "simnic/profile": ["rdma/base", "rdma/base/text", "rdma/seam"],
    "simnic/observe": ["rdma/base", "rdma/seam"],
    "simnic/engine": ["rdma/base", "rdma/seam", "simnic/observe", "simnic/profile"],
    "simnic/wire": ["rdma/base", "rdma/base/text", "rdma/seam", "simnic/engine", "simnic/profile"],
    "simnic/nic": [
        "rdma/base", "rdma/base/text", "rdma/chain", "rdma/seam", "simnic/engine", "simnic/observe", "simnic/profile", "simnic/wire",
    ],
    "simnic/verbs": ["rdma/base", "rdma/chain", "rdma/seam", "simnic/nic"],
    "simnic/world": ["rdma/base", "rdma/base/text", "simnic/nic", "simnic/platform_text", "simnic/profile", "simnic/wire"],
    "simnic": ["rdma/base", "rdma/seam", "simnic/nic", "simnic/verbs", "simnic/world"],
    "rdma/hardware": ["rdma/base", "rdma/base/text", "rdma/seam"],
    "rdma/memory": ["rdma/base", "rdma/seam"],
    "rdma/fibers": ["rdma/base", "rdma/seam"],
    "rdma/device": ["rdma/base", "rdma/base/text", "rdma/fibers", "rdma/memory", "rdma/seam"],
    "rdma/one_sided": ["rdma/base", "rdma/device", "rdma/fibers", "rdma/memory"],
    "rdma/rpc/transport": ["rdma/base", "rdma/device", "rdma/memory"],
    "rdma/rpc": ["rdma/base", "rdma/device", "rdma/fibers", "rdma/memory", "rdma/rpc/transport"],
    "rdma/prism": ["rdma/base", "rdma/chain", "rdma/device", "rdma/fibers", "rdma/memory", "rdma/one_sided", "rdma/rpc", "rdma/seam"],
    "rdma": [
        "rdma/base", "rdma/base/text", "rdma/device", "rdma/fibers", "rdma/memory", "rdma/one_sided", "rdma/prism", "rdma/rpc",
        "rdma/rpc/transport", "rdma/seam",
    ],
    "txn/schema": ["rdma/base"],
    "txn": ["rdma", "rdma/base", "rdma/device", "txn/schema"],
    "txn/plan": ["rdma/base", "rdma/base/text"],
    "txn/index": ["rdma/base", "rdma/seam", "txn/schema"],
    "txn/store": ["rdma/base", "rdma/seam", "txn", "txn/index", "txn/schema"],
    "txn/log": ["rdma/base", "rdma/seam", "txn/schema", "txn/store"],
    "txn/check/anomalies": ["txn", "txn/schema"],
    "txn/check/registers": ["rdma/base", "txn", "txn/check/anomalies", "txn/schema"],
    "txn/check/replay": ["rdma/base", "txn", "txn/check/anomalies", "txn/schema"],
    "txn/check": ["rdma/base", "txn", "txn/check/anomalies", "txn/check/registers", "txn/check/replay", "txn/schema", "txn/store"],
    "txn/occ/node": [
        "rdma", "rdma/base", "rdma/rpc", "rdma/rpc/transport", "rdma/seam", "txn", "txn/check", "txn/index", "txn/log", "txn/plan",
        "txn/schema", "txn/store",
    ],
    "txn/occ/log": ["rdma", "rdma/base", "rdma/rpc", "txn", "txn/log", "txn/occ/node", "txn/schema", "txn/store"],
    "txn/occ/attempt": [
        "rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "txn", "txn/check", "txn/occ/log", "txn/occ/node", "txn/plan", "txn/schema",
        "txn/store",
    ],
    "txn/occ/execution": ["rdma/base", "txn", "txn/index", "txn/occ/attempt", "txn/occ/node", "txn/schema", "txn/store"],
    "txn/occ/commit": ["rdma/base", "rdma/rpc", "txn/log", "txn/occ/attempt", "txn/occ/log", "txn/occ/node", "txn/store"],
    "txn/occ": [
        "rdma", "rdma/base", "rdma/device", "rdma/rpc", "txn", "txn/log", "txn/occ/attempt", "txn/occ/commit", "txn/occ/execution",
        "txn/occ/log", "txn/occ/node", "txn/plan", "txn/schema", "txn/store",
    ],
    "txn/snapshot": ["rdma", "rdma/base", "rdma/rpc", "txn"],
    "txn/nam": ["rdma/base", "rdma/rpc", "rdma/rpc/transport", "txn", "txn/schema"],
    "txn/nam/records": ["rdma", "rdma/base", "rdma/one_sided", "rdma/seam", "txn", "txn/index", "txn/schema"],
    "txn/nam/oracle": ["rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "rdma/seam", "txn", "txn/nam", "txn/nam/records"],
    "txn/nam/versions": ["rdma", "rdma/base", "rdma/seam", "txn/nam", "txn/nam/records"],
    "txn/nam/index": [
        "rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "rdma/seam", "txn", "txn/index", "txn/nam", "txn/nam/oracle",
        "txn/nam/records", "txn/nam/versions", "txn/schema",
    ],
    "txn/nam/durability": [
        "rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "txn", "txn/nam", "txn/nam/index", "txn/nam/oracle", "txn/nam/records",
    ],
    "txn/nam/attempt": [
        "rdma", "rdma/base", "rdma/one_sided", "rdma/rpc", "txn", "txn/index", "txn/nam", "txn/nam/index", "txn/nam/oracle",
        "txn/nam/records", "txn/nam/versions", "txn/schema", "txn/snapshot",
    ],
    "txn/nam/execution": [
        "rdma/base", "rdma/rpc", "txn", "txn/index", "txn/nam", "txn/nam/attempt", "txn/nam/index", "txn/nam/oracle", "txn/nam/records",
        "txn/nam/versions", "txn/schema",
    ],
    "txn/nam/transaction": [
        "rdma", "rdma/base", "txn", "txn/nam", "txn/nam/attempt", "txn/nam/durability", "txn/nam/execution", "txn/nam/index",
        "txn/nam/oracle", "txn/nam/records", "txn/nam/versions", "txn/schema", "txn/snapshot",
    ],
    "txn/nam/node": [
        "rdma", "rdma/base", "rdma/device", "rdma/rpc", "txn", "txn/nam", "txn/nam/durability", "txn/nam/index", "txn/nam/oracle",
        "txn/nam/records", "txn/nam/transaction", "txn/nam/versions", "txn/plan", "txn/schema",
    ],
    "txn/si2pc": [
        "rdma", "rdma/base", "rdma/device", "rdma/rpc", "rdma/rpc/transport", "rdma/seam", "txn", "txn/index", "txn/plan", "txn/schema",
        "txn/snapshot", "txn/store",
    ],
    "txn/prism/buffers": ["rdma", "rdma/base", "rdma/chain", "rdma/prism", "rdma/rpc", "rdma/seam", "txn"],
    "txn/prism/deaths": ["rdma", "rdma/base", "rdma/rpc", "txn", "txn/prism/buffers"],
    "txn/prism/access": ["rdma", "rdma/base", "rdma/chain", "rdma/prism", "rdma/rpc", "txn/prism/buffers"],
    "txn/prism": [
        "rdma", "rdma/base", "rdma/chain", "rdma/device", "rdma/memory", "rdma/prism", "rdma/rpc/transport", "rdma/seam", "txn",
        "txn/plan", "txn/prism/access", "txn/prism/buffers", "txn/prism/deaths", "txn/schema",
    ],
    "txn/kv": [
        "rdma", "rdma/base", "rdma/chain", "rdma/memory", "rdma/one_sided", "rdma/prism", "rdma/rpc", "rdma/seam", "txn", "txn/prism",
        "txn/prism/access", "txn/prism/deaths", "txn/schema",
    ],
    "txn/blocks": ["rdma", "rdma/base", "rdma/device", "txn", "txn/prism", "txn/prism/deaths"],
    "txn/blocks/lock": [
        "rdma", "rdma/base", "rdma/memory", "rdma/one_sided", "rdma/seam", "txn", "txn/blocks", "txn/prism", "txn/prism/buffers",
        "txn/prism/deaths", "txn/schema",
    ],
    "txn/blocks/rs": [
        "rdma", "rdma/base", "rdma/chain", "rdma/memory", "rdma/prism", "rdma/rpc", "rdma/seam", "txn", "txn/blocks", "txn/prism",
        "txn/prism/access", "txn/prism/buffers", "txn/prism/deaths", "txn/schema",
    ],
    "txn/prism_tx/records": ["rdma", "rdma/base", "rdma/chain", "txn", "txn/prism", "txn/prism/access", "txn/schema"],
    "txn/prism_tx/attempt": [
        "rdma", "rdma/base", "rdma/prism", "txn", "txn/prism", "txn/prism/access", "txn/prism/deaths", "txn/prism_tx/records",
    ],
    "txn/prism_tx": ["rdma", "rdma/base", "rdma/rpc", "txn", "txn/prism", "txn/prism_tx/attempt", "txn/prism_tx/records"],
    "txn/registry": [
        "rdma/base", "txn", "txn/blocks/lock", "txn/blocks/rs", "txn/kv", "txn/nam/node", "txn/occ", "txn/plan", "txn/prism_tx",
        "txn/si2pc",
    ],
    "workloads": ["rdma/base", "txn", "txn/schema"],
    "workloads/*": ["rdma/base", "rdma/base/text", "txn", "txn/schema", "workloads"],
    "workloads/registry": ["rdma/base", "rdma/base/text", "workloads", "workloads/*"],
    "workloads/measure": ["rdma/base"],
    "workloads/run/history": ["rdma", "rdma/base", "txn", "txn/check", "txn/check/anomalies", "txn/schema", "workloads"],
    "workloads/run/resources": ["rdma/base", "rdma/seam", "txn"],
    "workloads/run": [
        "rdma", "rdma/base", "rdma/device", "rdma/seam", "txn", "txn/check", "txn/check/anomalies", "workloads", "workloads/measure",
        "workloads/run/history", "workloads/run/resources",
    ],
    "experiments/bench": [
        "rdma", "rdma/base", "rdma/chain", "rdma/device", "rdma/one_sided", "rdma/prism", "rdma/rpc", "rdma/seam", "workloads/measure",
        "workloads/run/resources",
    ],
    "experiments/config/keys": [
        "experiments/bench", "rdma/base", "rdma/base/text", "rdma/device", "rdma/seam", "simnic/profile", "simnic/wire",
        "workloads/measure",
    ],
    "experiments/config/commands": [
        "experiments/bench", "experiments/config/keys", "rdma/base", "rdma/one_sided", "txn", "txn/registry", "workloads",
        "workloads/registry", "workloads/run",
    ],
    "experiments/config": [
        "experiments/config/commands", "experiments/config/keys", "rdma/base", "rdma/base/text", "simnic/platform_text", "simnic/profile",
    ],
    "experiments/session": [
        "experiments/config/keys", "rdma", "rdma/base", "rdma/device", "rdma/hardware", "rdma/one_sided", "rdma/seam", "simnic",
    ],
    "experiments/plot": [],
    "experiments/paths": ["rdma/base", "rdma/seam", "simnic/observe"],
    "experiments/report/result": [
        "experiments/config/keys", "experiments/paths", "rdma/base", "rdma/seam", "txn/check/anomalies", "workloads/measure",
        "workloads/run", "workloads/run/resources",
    ],
    "experiments/report/text": [
        "experiments/config/commands", "experiments/config/keys", "experiments/paths", "experiments/report/result", "rdma/base",
        "rdma/base/text", "rdma/seam", "simnic/profile", "simnic/wire", "txn", "txn/plan", "txn/registry", "workloads/run",
        "workloads/run/resources",
    ],
    "experiments/report/files": ["experiments/config/keys", "rdma/base", "txn/check", "txn/store"],
    "experiments/report": [
        "experiments/config", "experiments/config/keys", "experiments/report/files", "experiments/report/result",
        "experiments/report/text", "rdma/base", "rdma/base/text", "rdma/seam", "simnic", "simnic/observe", "txn", "workloads/run",
    ],
    "experiments/explain": [
        "experiments/bench", "experiments/config", "experiments/config/commands", "experiments/paths", "experiments/report",
        "experiments/session", "rdma", "rdma/base", "rdma/device", "rdma/one_sided", "rdma/prism", "rdma/rpc", "rdma/rpc/transport",
        "rdma/seam", "simnic/observe", "simnic/profile", "simnic/world",
    ],
    "experiments/points": [
        "experiments/config", "experiments/config/commands", "experiments/config/keys", "experiments/report", "experiments/report/files",
        "rdma/base", "rdma/base/text", "rdma/seam", "txn", "txn/registry", "workloads/measure", "workloads/registry",
    ],
    "experiments/reproduce/figure": [
        "experiments/config", "experiments/config/keys", "experiments/plot", "experiments/points", "experiments/report/text", "rdma/base",
        "rdma/base/text", "rdma/chain", "txn/plan",
    ],
    "experiments/reproduce/judge": ["experiments/config/keys", "experiments/points", "experiments/reproduce/figure"],
    "experiments/reproduce": [
        "experiments/config/commands", "experiments/config/keys", "experiments/plot", "experiments/points", "experiments/report",
        "experiments/report/text", "experiments/reproduce/figure", "experiments/reproduce/judge", "rdma/base/text",
    ],
    "experiments/hunt/draw": [
        "experiments/config", "experiments/config/commands", "experiments/config/keys", "rdma/base", "txn", "txn/registry",
        "workloads/registry",
    ],
    "experiments/hunt": [
        "experiments/config", "experiments/hunt/draw", "experiments/points", "experiments/report", "experiments/report/files",
        "rdma/base", "rdma/base/text", "txn/registry",
    ],
    "experiments/compare": [
        "experiments/config", "experiments/config/commands", "experiments/config/keys", "experiments/points", "experiments/report/text",
        "rdma/base", "rdma/base/text",
    ],
    "experiments/sweep": [
        "experiments/config", "experiments/config/keys", "experiments/plot", "experiments/points", "experiments/report",
        "experiments/report/text", "rdma/base",
    ],
    "experiments/cli/text": ["experiments/config/commands", "experiments/config/keys", "simnic/profile"],
    "experiments/cli": [
        "experiments/bench", "experiments/cli/text", "experiments/compare", "experiments/config", "experiments/config/commands",
        "experiments/config/keys", "experiments/explain", "experiments/hunt", "experiments/hunt/draw", "experiments/paths",
        "experiments/plot", "experiments/points", "experiments/report", "experiments/report/files", "experiments/report/text",
        "experiments/reproduce", "experiments/reproduce/figure", "experiments/session", "experiments/sweep", "rdma/base", "rdma/base/text",
        "rdma/device", "rdma/hardware", "rdma/seam", "simnic/observe", "simnic/profile", "simnic/wire", "txn/registry",
        "workloads/measure", "workloads/registry", "workloads/run", "workloads/run/history",
    ],
    "experiments": ["experiments/cli"],
}


def table_findings(rooms):
    """The faults of a table of rooms in itself."""
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
