// Tables of the publication whose cells are words, beside what our systems are.
#pragma once

#include <string>
#include <vector>

namespace verbena::experiments {

/// One row: a system, a phase, a primitive.
struct ComparedRow {
  std::string name;
  std::vector<std::string> ours;
  std::vector<std::string> published;
};

struct Comparison {
  std::vector<std::string> columns;
  std::vector<ComparedRow> rows;
};

/// The kinds of tables: "systems" (DrTM+H paper, table 4), "optimizations" (table 2) and "chains"
/// (PRISM paper, table 1).
const std::vector<std::string>& comparison_names();

/// The table of this kind without what was published. "systems" has a row for each system;
/// "optimizations" one for each phase, of one-sided and two-sided primitives without outstanding
/// requests in the execution and read phases, as in the paper's section 5; "chains" is
/// chain_table().
Comparison our_table(const std::string& name);

/// Where the rows differ: "farm, V: II, published II+I"; empty: nowhere.
std::vector<std::string> differences(const Comparison& comparison);

}  // namespace verbena::experiments
