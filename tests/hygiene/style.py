"""The rules of the source tree that neither the compiler nor clang-tidy knows.

`findings(path, text)` gives what one file breaks, as (line, message); `tree()` gives the paths they apply to. Every rule is a function of
the path and the text alone, so that style_rules_test.py can show each of them a file that breaks it.
"""

import os
import re

# Lower layers first. A layer includes itself and what stands in its line; what is not a layer (tests) includes anything.
MAY_INCLUDE = {
    "rdma/base": [],
    "rdma/seam": ["rdma/base"],
    "rdma/chain": ["rdma/base"],
    "simnic": ["rdma/base", "rdma/chain", "rdma/seam"],
    "rdma": ["rdma/base", "rdma/chain", "rdma/seam"],
    "txn": ["rdma/base", "rdma/chain", "rdma/seam", "rdma"],
    "workloads": ["rdma/base", "rdma/seam", "rdma", "txn"],
    "experiments": ["rdma/base", "rdma/chain", "rdma/seam", "simnic", "rdma", "txn", "workloads"],
}
MAX_LINES = 500
MAX_COLUMNS = {".cc": 100, ".h": 100}
OTHER_COLUMNS = 140
CPP = (".cc", ".h")
TEXT = CPP + (".bzl", ".py", ".sh", ".toml")
# Scripts without a suffix, and other files that are known by their names.
NAMES = ("BUILD", "WORKSPACE", ".bazelrc", ".clang-format", ".clang-tidy", "verbena", "fetch-kernel", "guest-init", "guest-session", "run")


def layer_of(path):
    """The layer that a source or an included path belongs to, or None."""
    within = [layer for layer in MAY_INCLUDE if path.startswith(layer + "/")]
    return max(within, key=len, default=None)


def without_comments_and_strings(text):
    """C++ text with the same lines, where comments, strings and characters are blank."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def matches(pattern, text, message):
    """A finding for each line of the text that the pattern matches."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(pattern, line):
            yield number, message


def check_form(path, text):
    """Length and white space."""
    suffix = os.path.splitext(path)[1]
    lines = text.split("\n")
    if len(lines) - 1 > MAX_LINES:
        yield len(lines) - 1, "more than %d lines: split by concern" % MAX_LINES
    if text and not text.endswith("\n") or text.endswith("\n\n"):
        yield len(lines), "a file ends in one end of line"
    columns = MAX_COLUMNS.get(suffix, OTHER_COLUMNS)
    yield from matches(r"^.{%d}" % (columns + 1), text, "longer than %d columns" % columns)
    yield from matches(r"[ \t\r]$", text, "white space at the end of the line")
    yield from matches(r"\t", text, "a tab")


def check_loose_ends(path, text):
    """A source has no loose ends: what is left to do is done, or is not in it."""
    yield from matches(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b", text, "a loose end")


def check_purpose(path, text):
    """A source says first what it is for."""
    if path.endswith(CPP) and not re.match(r"// \S.{14,}", text):
        yield 1, "a source begins with a comment that tells its purpose"
    if path.endswith(".h") and "\n#pragma once\n" not in text:
        yield 1, "a header has #pragma once"


def check_ownership(path, text):
    """Memory has an owner with a destructor. Placement new and `= delete` are no allocation."""
    if path.endswith(CPP):
        code = without_comments_and_strings(text)
        yield from matches(r"(?<!operator )\bnew\b(?! *\()", code, "naked new")
        yield from matches(r"(?<!operator )(?<!= )\bdelete\b", code, "naked delete")


def check_conditional_compilation(path, text):
    """Choices are made at run time. Only the compiler's own macros, which begin with __, decide what is compiled."""
    if path.endswith(CPP):
        code = without_comments_and_strings(text)
        yield from matches(r"^\s*#\s*(if|elif)(n?def)?\b(?!\s+!?(defined)?\s*\(?\s*__)", code, "conditional compilation")


def check_layers(path, text):
    """Lower layers include no higher ones; the simulation engine is simnic's alone."""
    layer = layer_of(path)
    if layer is None:
        return
    for number, line in enumerate(text.split("\n"), 1):
        include = re.match(r'#include "(.*)"', line)
        if include:
            other = layer_of(include.group(1))
            if other is None:
                yield number, "an include names its file from the top of the tree, and tests are included by tests only"
            elif other != layer and other not in MAY_INCLUDE[layer]:
                yield number, "%s includes %s" % (layer, other)
        elif layer not in ("simnic", "experiments") and line.startswith("#include <simgrid/"):
            yield number, "%s includes SimGrid" % layer


def check_one_code(path, text):
    """Transactions do not know what they run on."""
    if layer_of(path) in ("txn", "workloads") and path.endswith(CPP):
        yield from matches(r"(?i)\b(simulat\w*|real)\b", text, "txn and workloads do not know what they run on, not in words either")


BACKWARDS = r"(?:Who|Whom|Whoever|Whose|What|Whatever|Those|Whether|Of|As whom)\b"
# In a comment, or in a string that documents.
BEGINS_BACKWARDS = re.compile(r'(?:(?<![:\w])//+<?|(?<![\w$&])#|^\s*""") ?' + BACKWARDS)



def check_comments(path, text):
    """A comment begins with a verb or a noun, so that it is read once: "Forces records to the backups."; its other lines need not."""
    mark = "//" if path.endswith(CPP) else "#"
    goes_on = False
    for number, line in enumerate(text.split("\n"), 1):
        if not goes_on and BEGINS_BACKWARDS.search(line):
            yield number, "a comment begins with what it tells of, a verb or a noun"
        goes_on = line.lstrip().startswith(mark)


def check_clang_tidy(path, text):
    """Every C++ rule is among those that clang-tidy checks."""
    if os.path.basename(path) == "BUILD" and not path.startswith("third_party/"):
        if re.search(r"^cc_(library|binary|test)\(", text, re.MULTILINE) and not text.endswith("\nclang_tidy()\n"):
            yield text.count("\n"), "a BUILD file with C++ rules ends in clang_tidy(), of //tests/hygiene:clang_tidy.bzl"


CHECKS = [
    check_form,
    check_loose_ends,
    check_purpose,
    check_ownership,
    check_conditional_compilation,
    check_layers,
    check_one_code,
    check_comments,
    check_clang_tidy,
]


POINTS_TABLE = "experiments/hunt/expected_points.cc"
NIC_COUNTERS = "simnic/nic/nic.cc"


def reached_points(path, text):
    """The points of Core::reach in a source, as (line, point); None stands for one that is no single literal."""
    if layer_of(path) is None or not path.endswith(CPP):
        return
    for call in re.finditer(r'\breach\(\s*(?:\w+,\s*)?"([^"\n]*)"(\s*\))?', text):
        yield text.count("\n", 0, call.start()) + 1, call.group(1) if call.group(2) else None


def point_findings(texts):
    """Where the points of the sources and the hunts' table of them disagree. `texts` are files by their paths; as (path, line, message)."""
    rows = re.findall(r'^ *"(.*)",$', texts[POINTS_TABLE], re.MULTILINE)
    if rows != sorted(set(rows)):
        yield POINTS_TABLE, 1, "points are in their order, each once"
    unhunted = re.findall(r'^ *Unhunted{"(.*)"},$', texts[POINTS_TABLE], re.MULTILINE)
    if unhunted != sorted(set(unhunted) - set(rows)):
        yield POINTS_TABLE, 1, "points to which hunts do not come are in their order, each once"
    seen = {}
    for path, text in texts.items():
        for line, point in reached_points(path, text):
            if point is None:
                yield path, line, "a point is one literal"
                continue
            if point.split(": ")[0] not in os.path.dirname(path).split("/"):
                yield path, line, "a point begins with its room, or one around it"
            if point in seen:
                yield path, line, "the point is that of %s:%d" % seen[point]
            if point not in rows and point not in unhunted:
                yield path, line, "the point is not in %s" % POINTS_TABLE
            seen[point] = path, line
    counters = {"nic: " + name for name in re.findall(r'"([\w.]+)"', texts[NIC_COUNTERS])}
    for row in rows + unhunted:
        if row not in seen and row not in counters:
            yield POINTS_TABLE, 1, "no source reaches '%s'" % row


MACHINES = "tests/softroce/BUILD"


def fabric_test_findings(texts):
    """Tests of both fabrics that no machine runs, as (path, line, message)."""
    run = re.findall(r'^        "//(.*)",$', texts[MACHINES], re.MULTILINE)
    for path, text in texts.items():
        if not path.endswith("/BUILD"):
            continue
        for rule in re.finditer(r'^fabric_test\(\s*name = "(\w+)"', text, re.MULTILINE):
            if "%s:%s" % (os.path.dirname(path), rule.group(1)) not in run:
                yield path, text.count("\n", 0, rule.start()) + 1, "%s is missing in %s" % (rule.group(1), MACHINES)


# The rules of the headers that sources begin with when they are compiled, so that the compiler misses none of them.
PRECOMPILED = "third_party/precompiled/BUILD"


def precompiled_headers(build):
    """The headers that PRECOMPILED names: the standard's, others' and those of the tree."""
    return re.findall(r'^    "([\w/.]+)",$', build, re.MULTILINE)


# Names that show that a header is needed.
NAMES_OF = {
    "algorithm": r"std::(ranges::(any_of|copy|equal|fill|find|find_if|lower_bound|sort)|clamp|find|max|min|sort)\(",
    "array": r"std::array\b",
    "atomic": r"std::atomic",
    "bit": r"std::(bit_cast|bit_ceil|bit_floor|bit_width|countl_zero|countr_zero|endian|has_single_bit|popcount)\b",
    "cassert": r"\bassert\(",
    "cmath": r"std::(ceil|exp|floor|isfinite|isnan|log|lround|pow|sqrt)\(",
    "cstddef": r"std::(byte|ptrdiff_t|size_t)\b",
    "cstdint": r"std::u?int(8|16|32|64|ptr)_t\b",
    "cstring": r"std::(memcmp|memcpy|memmove|memset|strcmp|strlen)\(",
    "deque": r"std::deque\b",
    "functional": r"std::function\b",
    "limits": r"std::numeric_limits\b",
    "list": r"std::list\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::(make_shared|make_unique|shared_ptr|unique_ptr)\b",
    "mutex": r"std::(call_once|lock_guard|mutex|once_flag|scoped_lock|unique_lock)\b",
    "optional": r"std::(nullopt|optional)\b",
    "set": r"std::(multi)?set\b",
    "span": r"std::(as_bytes|span)\b",
    "stdexcept": r"std::(invalid_argument|logic_error|out_of_range|runtime_error)\b",
    "string": r"std::(string|to_string)\b",
    "string_view": r"std::string_view\b",
    "utility": r"std::(exchange|move|pair|swap)\b",
    "variant": r"std::(get_if|holds_alternative|monostate|variant|visit)\b",
    "vector": r"std::vector\b",
    "boost/context/fiber.hpp": r"boost::context::fiber\b",
    "infiniband/verbs.h": r"\bibv_(close_device|dealloc_pd|poll_cq|post_recv|post_send|reg_mr|wc|send_wr|recv_wr|sge)\b",
    "fmt/format.h": r"fmt::(format|format_to)\(",
}


def include_findings(texts):
    """Uses of the standard library whose header neither the source nor headers of the tree that it includes name; as point_findings."""
    known = {}

    def included(path):
        if path not in known:
            known[path] = set(re.findall(r"^#include <(.*)>", texts[path], re.MULTILINE))
            for other in re.findall(r'^#include "(.*)"', texts[path], re.MULTILINE):
                known[path] |= included(other) if other in texts else set()
        return known[path]

    for path, text in texts.items():
        if not path.endswith(CPP) or path.startswith("third_party/"):
            continue
        code = without_comments_and_strings(text)
        for header, names in NAMES_OF.items():
            used = re.search(names, code)
            if used and header not in included(path):
                yield path, code.count("\n", 0, used.start()) + 1, "%s is of <%s>, which is not included" % (used.group(0), header)


def own_include_findings(texts, precompiled):
    """Classes of headers that hang from the `precompiled` ones, of which a source includes neither the header nor a declaration."""
    known = {}

    def included(path):
        if path not in known:
            known[path] = {path}
            for other in re.findall(r'^#include "(.*)"', texts[path], re.MULTILINE):
                known[path] |= included(other) if other in texts else set()
        return known[path]

    kinds = r"^ *(?:class|struct|enum class) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: :.*)? \{"
    definition = re.compile(kinds + r"|\busing (\w+) =|\btypename (\w+)", re.MULTILINE)
    homes = {}
    for path, text in texts.items():
        if path.endswith(CPP) and not path.startswith("third_party/"):
            for names in definition.findall(text):
                homes.setdefault("".join(names), set()).add(path)
    hanging = set().union(*(included(path) for path in precompiled))
    headers = {name: home for name, (home, *others) in homes.items() if not others and home in hanging}
    for path, text in texts.items():
        if not path.endswith(CPP) or path.startswith("third_party/"):
            continue
        words = set(re.findall(r"\w+", without_comments_and_strings(text)))
        for name in sorted(words & set(headers)):
            declared = re.compile(r"^(?:class|struct) %s;" % name, re.MULTILINE)
            if headers[name] not in included(path) and not any(declared.search(texts[other]) for other in included(path)):
                yield path, 1, "%s is of %s, which is not included" % (name, headers[name])


def findings(path, text):
    """The rules that a file breaks: (line, message) in the order of the checks."""
    return [finding for check in CHECKS for finding in check(path, text)]


def tree(root):
    """The paths below root that rules apply to, in order."""
    for directory, names, files in os.walk(root):
        # Bazel's output directories are symbolic links, which os.walk does not follow.
        names[:] = sorted(set(names) - {".git", ".cache"})
        for name in sorted(files):
            if name.endswith(TEXT) or name in NAMES:
                yield os.path.relpath(os.path.join(directory, name), root)
