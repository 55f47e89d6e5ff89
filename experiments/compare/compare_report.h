// A comparison for people and programs.
#pragma once

#include <string>

#include "experiments/compare/sides_compared.h"

namespace verbena::experiments {

/// Both sides, and how they were asked to differ; a line for each quantity of each place;
/// where the time went, of one place; the verdict.
std::string comparison_table(const SidesCompared& compared);

/// The same as a JSON document (docs/reference/documents.md).
std::string comparison_document(const SidesCompared& compared);

}  // namespace verbena::experiments
