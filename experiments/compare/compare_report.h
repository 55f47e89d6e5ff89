// A comparison for people and programs.
#pragma once

#include <string>

#include "experiments/compare/sides_compared.h"

namespace verbena::experiments {

/// Formats both sides and how they differ by intention, a line for each quantity of each place,
/// where the time of a single place went, and the verdict.
std::string comparison_table(const SidesCompared& compared);

/// Formats the comparison as a JSON document (docs/reference/documents.md).
std::string comparison_document(const SidesCompared& compared);

}  // namespace verbena::experiments
