#!/usr/bin/env python3
"""clang_tidy.py REPORT CONFIG PLUGIN SOURCE... -- FLAG...: writes what clang-tidy finds in sources and in the repository's headers that
they include. Findings are no error of this script; a clang-tidy that does not come to an end is. PLUGIN is that of own_code_only.cc, or
empty: the same findings take three times as long.

Sources are checked as one, for most of the time goes into what they include. Names that several of them declare, each for itself, are told
apart by a number; where that is not enough, each source is checked by itself.
"""

import os
import re
import subprocess
import sys

OWN_HEADERS = "(rdma|simnic|txn|workloads|experiments|tests)/"
# A declaration at the beginning of a line, as clang-format leaves them: its name is behind the kind of type, or before what is its value.
DECLARED = re.compile(
    r"(?:(?:class|struct|union|enum(?: class)?) (\w+)|TEST\w*\((\w+, \w+)|using (\w+) =|[A-Za-z][^({=;]*?([\w:]+) ?[({=;])"
)


def declared(text):
    """The names that a source declares outside functions and types."""
    lines = [line for line in text.splitlines() if not re.match(r"(namespace|template|using namespace)\b|using [\w:]+;", line)]
    return {next(filter(None, found.groups())) for found in map(DECLARED.match, lines) if found}


def apart(texts):
    """Changes the names that one of several sources declares after another one has.

    Returns the texts, and the names by what they became.
    """
    taken, changed, names_before = set(), [], {}
    for number, text in enumerate(texts):
        names = declared(text)
        twice = names & taken
        if twice:
            either = "|".join(map(re.escape, sorted(twice)))
            text = re.sub(r"(?m)^#.*|(?<![\w.>])(?<!::)(%s)\b" % either, lambda found: found[0] + str(number) * bool(found[1]), text)
        taken |= names
        changed.append(text)
        names_before.update({"%s%d" % (name, number): name for name in twice})
    return changed, names_before


def unused(path, text):
    """Findings of names that a source says it uses, and does not: as one with others it uses what any of them does."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"(using) [\w:]+::(\w+);|(namespace) (\w+) = ", line)
        name = found and (found[2] or found[4])
        if found and len(re.findall(r"\b%s\b" % name, re.sub(r"//.*", "", text))) == len(re.findall(r"\b%s\b" % name, line)):
            kind = "using" if found[1] else "alias"
            yield "%s:%d:1: error: %s is not used [misc-unused-%s-decls]\n" % (path, number, name, kind)


class Checker:
    """Runs clang-tidy over sources; `report` names its files."""

    def __init__(self, report, config, plugin, flags):
        own_code_only = ["--load=" + os.path.abspath(plugin), "--checks=verbena-own-code-only"] if plugin else []
        self._unit = report + ".cc"
        self._command = ["clang-tidy-16", "--quiet", *own_code_only, "--config-file=" + config, "--header-filter=" + OWN_HEADERS]
        self._command += [self._unit, "--", *flags]

    def findings(self, paths, texts):
        """Returns what clang-tidy says of `paths`, with their own places and names; `texts` has the text of each."""
        places = [(path, line) for path in paths for line in range(1, texts[path].count("\n") + 1)]
        changed, names_before = apart(texts[path] for path in paths)
        with open(self._unit, "w", encoding="utf-8") as unit:
            unit.writelines(changed)
        done = subprocess.run(self._command, capture_output=True, text=True, check=False)
        os.remove(self._unit)
        if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stdout):
            sys.exit(done.stderr or "clang-tidy ended with %d" % done.returncode)
        if len(paths) > 1 and "[clang-diagnostic-error" in done.stdout:
            return "".join(self.findings([path], texts) for path in paths)
        place = re.compile(r"\S*%s:(\d+):" % re.escape(os.path.basename(self._unit)))
        found = place.sub(lambda at: "%s:%d:" % places[int(at[1]) - 1], done.stdout)
        found = re.sub(r"\w+", lambda word: names_before.get(word[0], word[0]), found)
        return found.replace(os.getcwd() + "/", "")


def main(report, config, plugin, *rest):
    """Checks as this file's first lines tell."""
    sources, flags = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    texts = {}
    for path in sources:
        with open(path, encoding="utf-8") as source:
            texts[path] = source.read()
    checker = Checker(report, config, plugin, flags)
    found = checker.findings(list(texts), texts) + "".join(line for path in sources for line in unused(path, texts[path]))
    with open(report, "w", encoding="utf-8") as file:
        file.write(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
