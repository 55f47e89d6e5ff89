#!/usr/bin/env python3
"""clang_tidy.py finds what is wrong in sources and in their header: the same with the plugin and precompiled headers as without, and of
sources that are checked as one the same as of each by itself."""

import os
import re
import subprocess
import unittest

HYGIENE = "tests/hygiene"
PLUGIN = HYGIENE + "/own_code_only.so"
HEADER = """#pragma once
#include <memory>
#include <string>
#include <vector>
namespace verbena {
class Base {
 public:
  virtual int size() const;
};
class Table : public Base {
 public:
  Table(int Size) : size_(Size) {}
  int size() const;
  int rows(std::string name) { return name.empty() ? size_ : 0; }
  int columns() { return size_; }
 private:
  int size_ = 0;
};
}  // namespace verbena
namespace std {
template <>
struct hash<verbena::Table> {
  size_t operator()(const verbena::Table& Table) const;
};
}  // namespace std
"""
SOURCE = """#include "rdma/table.h"
#include <cstring>
#include <stdio.h>
using std::string;
namespace verbena {
namespace {
typedef int Number;
const char* Nothing = 0;
template <typename Value>
int many(const std::vector<Value> values) { return values.size() == 0; }
}  // namespace
std::string moved(std::string text) {
  std::string other = std::move(text);
  if (!memcmp(other.data(), text.data(), sizeof(other.data()))) printf("same");
  for (int unused : std::vector<int>{1, 2}) continue;
  return std::string(other.c_str());
}
int all(Number number) { return many(std::vector<int>{number}) + (Nothing == NULL) ? 1 : 1; }
}  // namespace verbena
"""


# Each declares names that SOURCE or another one declares, too; the last one has an error.
OTHER_SOURCES = {
    "rdma/rows.cc": """#include "rdma/table.h"
namespace verbena {
namespace {
int many(int* numbers) { return numbers == 0 ? 0 : *numbers; }
const char* kNothing = "many";
const std::string kEmpty;
}  // namespace
int rows_of(Table& table) { return many(0) + table.columns() + kNothing[0] + kEmpty.size(); }
}  // namespace verbena
""",
    "rdma/columns.cc": """#include "rdma/table.h"
using std::string;
namespace verbena {
namespace {
const std::vector<int> kEmpty;
struct rows_of {
  int size = NULL;
};
int columns(Table& table) { return table.columns() + rows_of().size + (kEmpty.size() == 0); }
}  // namespace
int many(Table& table) { return columns(table) == 0 ? 0 : 1; }
int Columns(Table& table) { return many(table); }
}  // namespace verbena
""",
    "rdma/errors.cc": """#include "rdma/table.h"
namespace verbena {
namespace {
int rows(Table& table) { return table.rows(""); }
int absent() { return Table::absent(); }
}  // namespace
}  // namespace verbena
""",
}


def findings(plugin, sources, *flags):
    """The findings that clang_tidy.py reports, a line each, without columns and the lines of source that it quotes."""
    flags = ["-std=c++20", "-iquote", ".", *flags]
    subprocess.run([HYGIENE + "/clang_tidy.py", "report", ".clang-tidy", plugin, *sources, "--"] + flags, check=True)
    with open("report", encoding="utf-8") as report:
        return sorted({re.sub(r":\d+: error", ": error", line.strip()) for line in report if "error: " in line})


class ClangTidyTest(unittest.TestCase):
    def setUp(self):
        os.makedirs("rdma", exist_ok=True)
        for path, text in {"rdma/table.h": HEADER, "rdma/table.cc": SOURCE, **OTHER_SOURCES}.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def test_what_saves_time_changes_no_finding(self):
        table = ["rdma/table.cc"]
        everything = findings("", table)
        self.assertGreater(len([line for line in everything if "table.h" in line]), 5, everything)
        self.assertGreater(len([line for line in everything if "table.cc" in line]), 8, everything)
        self.assertEqual(everything, findings(PLUGIN, table))
        self.assertEqual(everything, findings(PLUGIN, table, "-include-pch", HYGIENE + "/standard.pch"))

    def test_sources_checked_as_one_have_the_findings_of_each(self):
        fast = ["-include-pch", HYGIENE + "/standard.pch"]
        for sources in (["table", "rows", "columns"], ["rows", "errors"]):
            sources = ["rdma/%s.cc" % name for name in sources]
            each = sorted(set().union(*(findings(PLUGIN, [source], *fast) for source in sources)))
            for source in sources:
                self.assertTrue([line for line in each if line.startswith(source + ":")], each)
            self.assertEqual(each, findings(PLUGIN, sources, *fast), sources)

    def test_a_clang_tidy_that_is_killed_is_an_error(self):
        os.makedirs("killed", exist_ok=True)
        with open("killed/clang-tidy-16", "w", encoding="utf-8") as stub:
            stub.write("#!/bin/sh\nkill -9 $$\n")
        os.chmod("killed/clang-tidy-16", 0o755)
        path = os.path.abspath("killed") + ":" + os.environ["PATH"]
        command = [HYGIENE + "/clang_tidy.py", "report", ".clang-tidy", "", "rdma/table.cc", "--"]
        done = subprocess.run(command, env=dict(os.environ, PATH=path), check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "clang-tidy ended with -9\n"))


if __name__ == "__main__":
    unittest.main()
