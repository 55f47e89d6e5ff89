#!/usr/bin/env python3
"""Each rule of style.py and rooms.py finds what breaks it, and not what looks like it."""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import rooms  # noqa: E402
import style  # noqa: E402

PURPOSE = "// A file for tests, told in a line.\n"
HEADER = PURPOSE + "#pragma once\n"
RULES = 'cc_library(\n    name = "a",\n)\n'
LOOSE_END = "TO" + "DO"

# (path, text, what is found)
BAD = [
    ("rdma/a.cc", PURPOSE + "int a;\n" * 500, "more than 500 lines"),
    ("rdma/a.cc", PURPOSE + "int a;", "one end of line"),
    ("rdma/a.cc", PURPOSE + "// " + "a" * 98 + "\n", "longer than 100"),
    ("rdma/BUILD", "# " + "a" * 139 + "\n", "longer than 140"),
    ("rdma/a.cc", PURPOSE + "int a; \n", "white space"),
    ("rdma/a.cc", PURPOSE + "\tint a;\n", "tab"),
    ("rdma/BUILD", "# %s: more\n" % LOOSE_END, "loose end"),
    ("rdma/a.cc", "int a;\n", "purpose"),
    ("rdma/a.cc", "// Short.\n", "purpose"),
    ("rdma/a.h", PURPOSE + "int a;\n", "#pragma once"),
    ("rdma/a.cc", PURPOSE + "auto* a = new int;\n", "naked new"),
    ("rdma/a.cc", PURPOSE + "delete a;\n", "naked delete"),
    ("rdma/a.cc", PURPOSE + "delete[] a;\n", "naked delete"),
    ("rdma/a.cc", PURPOSE + "#ifdef FAST\n", "conditional"),
    ("rdma/a.cc", PURPOSE + "#if FAST\n", "conditional"),
    ("rdma/a.cc", PURPOSE + "#if !defined(FAST)\n", "conditional"),
    ("rdma/base/a.cc", PURPOSE + '#include "rdma/seam/a.h"\n', "rdma/base includes rdma/seam"),
    ("rdma/seam/a.cc", PURPOSE + '#include "rdma/a.h"\n', "rdma/seam includes rdma"),
    ("rdma/a.cc", PURPOSE + '#include "simnic/a.h"\n', "rdma includes simnic"),
    ("simnic/a.cc", PURPOSE + '#include "rdma/a.h"\n', "simnic includes rdma"),
    ("txn/a/a.cc", PURPOSE + '#include "workloads/a.h"\n', "txn includes workloads"),
    ("workloads/a.cc", PURPOSE + '#include "simnic/a.h"\n', "workloads includes simnic"),
    ("workloads/a.cc", PURPOSE + '#include "a.h"\n', "top of the tree"),
    ("txn/a.cc", PURPOSE + "#include <simgrid/s4u.hpp>\n", "txn includes SimGrid"),
    ("txn/a.cc", PURPOSE + "// Simulated only.\n", "what they run on"),
    ("workloads/a.h", HEADER + "// On a real device.\n", "what they run on"),
    ("rdma/a.h", HEADER + "/// Wh" + "ether it is open.\nbool open();\n", "begins with"),
    ("rdma/a.h", HEADER + "int a;  ///< O" + "f the peer.\n", "begins with"),
    ("rdma/BUILD", "# Wh" + "at is built.\n", "begins with"),
    ("tests/a.py", 'def a():\n    """Wh' + 'ose turn it is."""\n', "begins with"),
    ("rdma/BUILD", RULES, "clang_tidy()"),
    ("rdma/BUILD", "clang_tidy()\n\n" + RULES, "clang_tidy()"),
]

GOOD = [
    ("rdma/a.cc", PURPOSE + "int a;\n" * 499),
    ("rdma/a.h", HEADER),
    ("rdma/a.h", HEADER + "A(const A&) = delete;\nvoid operator delete(void*);\n"),
    ("rdma/a.cc", PURPOSE + '// a new one\nconst char* a = "new";\nauto* b = new (a) B;\n'),
    ("rdma/a.cc", PURPOSE + "#if defined(__SANITIZE_ADDRESS__)\n#endif\n#ifdef __x86_64__\n#endif\n"),
    ("rdma/a.cc", PURPOSE + '#include "rdma/seam/a.h"\n#include "rdma/b.h"\n'),
    ("simnic/a.cc", PURPOSE + '#include "rdma/seam/a.h"\n#include <simgrid/s4u.hpp>\n'),
    ("experiments/a.cc", PURPOSE + '#include "simnic/a.h"\n#include "workloads/a.h"\n'),
    ("tests/txn/a.cc", PURPOSE + '#include "simnic/a.h"\n#include "tests/b.h"\n// simulated\n'),
    ("txn/a.cc", PURPOSE + "// It really is.\n"),
    ("rdma/a.h", HEADER + "/// Opens a file.\n/// Wh" + "at it throws ends the run.\nvoid open();\n"),
    ("rdma/a.h", HEADER + "int a;  ///< of the peer\n"),
    ("rdma/BUILD", RULES + "\nclang_tidy()\n"),
]


class StyleRules(unittest.TestCase):
    def test_bad(self):
        for path, text, message in BAD:
            with self.subTest(path=path, message=message):
                found = style.findings(path, text)
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0][1])

    def test_good(self):
        for path, text in GOOD:
            with self.subTest(path=path, text=text):
                self.assertEqual(style.findings(path, text), [])

    def test_line(self):
        code = PURPOSE + "/* a\nb */ int a;\nint* b = new int;\n"
        self.assertEqual(style.findings("rdma/a.cc", code), [(4, "naked new")])

    def points(self, source, *rows):
        """The findings about the points of one source and these rows of the table."""
        table = "".join('    "%s",\n' % row for row in rows)
        texts = {"txn/occ/a.cc": source, style.POINTS_TABLE: table, style.NIC_COUNTERS: '"drops",\n"doorbells",\n'}
        return [message for _, _, message in style.point_findings(texts)]

    def test_points(self):
        good = 'core.reach("occ: a");\nreach(core_,\n      "occ: b (c)");\nvoid reach(std::string_view point);\n'
        self.assertEqual(self.points(good, "nic: drops", "occ: a", "occ: b (c)"), [])
        self.assertEqual(list(style.reached_points("txn/occ/a.cc", good)), [(1, "occ: a"), (2, "occ: b (c)")])
        self.assertEqual(list(style.reached_points("tests/txn/a.cc", good)), [])
        for source, rows, message in (
            ('reach("occ: a");\nreach("occ: a");\n', ["occ: a"], "that of txn/occ/a.cc:1"),
            ('reach("occ: a");\n', [], "is not in " + style.POINTS_TABLE),
            ("", ["occ: a"], "no source reaches 'occ: a'"),
            ("", ["nic: losses"], "no source reaches 'nic: losses'"),
            ('reach("log: a");\n', ["log: a"], "begins with its room, or one around it"),
            ('reach("occ: a" + b);\n', [], "one literal"),
            ('reach("occ: a");\nreach("occ: b");\n', ["occ: b", "occ: a"], "in their order"),
        ):
            with self.subTest(source=source, rows=rows):
                found = self.points(source, *rows)
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])

    def test_includes(self):
        texts = {
            "txn/a.h": "#include <vector>\n",
            "txn/b.h": '#include "txn/a.h"\nstd::vector<int> numbers;  // std::map\n',
            "txn/c.cc": '#include <map>\n#include "txn/b.h"\nstd::vector<int> numbers;\nstd::map<int, std::string> names("std::set");\n',
        }
        self.assertEqual(
            list(style.include_findings(texts)),
            [("txn/c.cc", 4, "std::string is of <string>, which is not included")],
        )

    def test_includes_are_checked_of_all_that_sources_begin_with(self):
        with open(style.PRECOMPILED, encoding="utf-8") as file:
            precompiled = style.precompiled_headers(file.read())
        own = [header for header in precompiled if header.startswith(("rdma/", "txn/", "workloads/"))]
        self.assertEqual([header for header in precompiled if header not in own], list(style.NAMES_OF))
        self.assertGreater(len(own), 3)

    def test_includes_of_own_classes(self):
        texts = {
            "txn/a.h": "class First final {\n};\n  struct Nested {\n  };\nenum class Kind : int {\n};\n",
            "txn/b.h": '#include "txn/a.h"\n',
            "txn/c.h": "class First;\nstruct Nested {};\n",
            "txn/d.cc": '#include "txn/c.h"\nFirst* first;\nNested nested;\n',
            "txn/e.cc": "// Kind\nFirst first;\n",
            "txn/f.cc": '#include "txn/b.h"\nFirst first;\nKind kind;\n',
        }
        self.assertEqual(
            list(style.own_include_findings(texts, ["txn/b.h"])),
            [("txn/e.cc", 1, "First is of txn/a.h, which is not included")],
        )

    def test_fabric_tests(self):
        texts = {
            "tests/softroce/BUILD": '    programs = [\n        "//tests/a:b_test",\n    ],\n',
            "tests/a/BUILD": 'fabric_test(name = "b_test")\n\nfabric_test(\n    name = "c_test",\n)\n',
        }
        self.assertEqual(
            list(style.fabric_test_findings(texts)),
            [("tests/a/BUILD", 3, "c_test is missing in tests/softroce/BUILD")],
        )

    def test_rooms(self):
        self.assertEqual(list(rooms.table_findings({"a": [], "b": ["a"], "c": ["a", "b"]})), [])
        self.assertIn("does not stand above", "".join(rooms.table_findings({"a": ["b"], "b": []})))
        self.assertIn("does not stand above", "".join(rooms.table_findings({"a": ["a"]})))
        self.assertIn("not sorted", "".join(rooms.table_findings({"a": [], "b": [], "c": ["b", "a"]})))

    def test_doors(self):
        table = {"a": [], "b": ["a"]}
        self.assertEqual(list(rooms.use_findings(table, {"a": set(), "b": {"a"}})), [])
        self.assertIn("no such door", "".join(rooms.use_findings(table, {"a": {"b"}, "b": {"a"}})))
        self.assertIn("can go", "".join(rooms.use_findings(table, {"a": set(), "b": set()})))
        self.assertIn("not in the table", "".join(rooms.use_findings(table, {"a": set(), "b": {"a"}, "c": set()})))
        self.assertIn("no sources", "".join(rooms.use_findings(table, {"a": set()})))

    def test_rooms_of_a_folder(self):
        table = {"a": [], "b/*": ["a"], "b/c": ["b/*"]}
        self.assertEqual(list(rooms.use_findings(table, {"a": set(), "b/d": {"a"}, "b/e": set(), "b/c": {"b/d"}})), [])
        self.assertIn("b/* includes b/c", "".join(rooms.use_findings(table, {"a": set(), "b/d": {"a", "b/c"}, "b/c": {"b/d"}})))
        self.assertIn("b/* includes b/*", "".join(rooms.use_findings(table, {"a": set(), "b/d": {"a", "b/e"}, "b/c": {"b/d"}})))

    def test_shown(self):
        row = "| `txn` | transactions | `rdma/base`, `rdma` |\n| `nothing` | no room | `txn` |\n"
        self.assertEqual(rooms.shown_table(row), {"txn": ["rdma/base", "rdma"]})


unittest.main()
