#!/usr/bin/env python3
"""The whole source tree, as it is on disk: style.py's rules, rooms.py's table, clang-format, shellcheck."""

import os
import re
import subprocess
import sys

# Runfiles are symbolic links into the source tree.
HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import rooms  # noqa: E402
import style  # noqa: E402


def is_shell(text):
    """True if a file names a shell as its interpreter, or in shellcheck's way."""
    first = text.split("\n", 1)[0]
    return first.startswith("# shellcheck shell=") or (first.startswith("#!") and first.endswith("sh"))


def doors(texts):
    """The rooms that each room's sources include."""
    used = {}
    for path, text in texts.items():
        if not path.endswith(style.CPP) or style.layer_of(path) is None:
            continue
        room = os.path.dirname(path)
        included = {os.path.dirname(name) for name in re.findall(r'^#include "(.*)"', text, re.MULTILINE)}
        used.setdefault(room, set()).update(included - {room})
    return used


def room_findings(texts):
    """Where the table of rooms, the sources and the document disagree."""
    yield from rooms.table_findings(rooms.ROOMS)
    yield from rooms.use_findings(rooms.ROOMS, doors(texts))
    with open("docs/architecture.md", encoding="utf-8") as file:
        if rooms.shown_table(file.read()) != rooms.ROOMS:
            yield "docs/architecture.md shows another table of rooms"


def main():
    os.chdir(ROOT)
    texts = {}
    for path in style.tree(ROOT):
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    failed = False
    for path, text in texts.items():
        for line, message in style.findings(path, text):
            print("%s:%d: %s" % (path, line, message))
            failed = True
    precompiled = [header for header in style.precompiled_headers(texts[style.PRECOMPILED]) if header in texts]
    across_files = [
        *style.point_findings(texts),
        *style.fabric_test_findings(texts),
        *style.include_findings(texts),
        *style.own_include_findings(texts, precompiled),
    ]
    for path, line, message in across_files:
        print("%s:%d: %s" % (path, line, message))
        failed = True
    for message in room_findings(texts):
        print("tests/hygiene/rooms.py: %s" % message)
        failed = True

    sources = [path for path in texts if path.endswith(style.CPP)]
    scripts = [path for path, text in texts.items() if is_shell(text)]
    for tool in (["clang-format", "--dry-run", "-Werror"] + sources, ["shellcheck", "-x"] + scripts):
        sys.stdout.flush()
        failed |= subprocess.run(tool, check=False).returncode != 0
    print("%d files, of them %d C++ and %d shell" % (len(texts), len(sources), len(scripts)))
    return failed


sys.exit(main())
