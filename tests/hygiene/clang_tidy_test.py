#!/usr/bin/env python3
"""clang_tidy.sh finds what is wrong in a source and in its header, the same with the plugin and what is precompiled as without."""

import os
import subprocess
import unittest

HYGIENE = "tests/hygiene"
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


def findings(plugin, *flags):
    """The findings that clang_tidy.sh reports, a line each, without the lines of source that it quotes."""
    flags = ["-std=c++20", "-iquote", ".", *flags]
    subprocess.run([HYGIENE + "/clang_tidy.sh", "report", ".clang-tidy", plugin, "rdma/table.cc"] + flags, check=True)
    with open("report", encoding="utf-8") as report:
        return sorted(line.strip() for line in report if "error: " in line)


class ClangTidyTest(unittest.TestCase):
    def test_what_saves_time_changes_no_finding(self):
        os.makedirs("rdma", exist_ok=True)
        for path, text in (("rdma/table.h", HEADER), ("rdma/table.cc", SOURCE)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        everything = findings("")
        self.assertGreater(len([line for line in everything if "table.h" in line]), 5, everything)
        self.assertGreater(len([line for line in everything if "table.cc" in line]), 8, everything)
        plugin = HYGIENE + "/own_code_only.so"
        self.assertEqual(everything, findings(plugin))
        self.assertEqual(everything, findings(plugin, "-include-pch", HYGIENE + "/standard.pch"))


if __name__ == "__main__":
    unittest.main()
