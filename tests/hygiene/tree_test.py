#!/usr/bin/env python3
"""The whole source tree, as it is on disk: style.py's rules, clang-format, shellcheck."""

import os
import subprocess
import sys

# Runfiles are symbolic links into the source tree.
HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import style  # noqa: E402


def is_shell(text):
    """Whether a file names a shell as its interpreter, or in shellcheck's way."""
    first = text.split("\n", 1)[0]
    return first.startswith("# shellcheck shell=") or (first.startswith("#!") and first.endswith("sh"))


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

    sources = [path for path in texts if path.endswith(style.CPP)]
    scripts = [path for path, text in texts.items() if is_shell(text)]
    for tool in (["clang-format", "--dry-run", "-Werror"] + sources, ["shellcheck", "-x"] + scripts):
        sys.stdout.flush()
        failed |= subprocess.run(tool, check=False).returncode != 0
    print("%d files, of them %d C++ and %d shell" % (len(texts), len(sources), len(scripts)))
    return failed


sys.exit(main())
