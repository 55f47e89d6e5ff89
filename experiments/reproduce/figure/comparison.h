// Published tables of words, compared with our systems.
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

/// Names of the kinds of tables: "systems" (DrTM+H paper, table 4), "optimizations" (table 2) and
/// "chains" (PRISM paper, table 1).
const std::vector<std::string>& comparison_names();

/// Makes our side of a table. "systems" has a row for each system. "optimizations" has one for each
/// phase, with one-sided and two-sided primitives and, as in the paper's section 5, without
/// outstanding requests in the execution and read phases. "chains" is chain_table().
Comparison our_table(const std::string& name);

/// Describes where rows differ: "farm, V: II, published II+I"; empty if nowhere.
std::vector<std::string> differences(const Comparison& comparison);

}  // namespace verbena::experiments
