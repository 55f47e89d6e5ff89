// Reading figure files.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// Reads a figure: a built-in one by its name, or a file by its path, which ends in .toml.
/// docs/figures.md explains the format. `sets` override all settings of the file. Every point's
/// settings are resolved, and every claim is evaluated once on made-up values, so that a loaded
/// figure can be measured and judged; otherwise throws ConfigurationError with file and line.
/// `quick` omits places that the file can spare, and claims that need them. With `as`, the name of
/// a preset or kOurs, a figure with a preset gets all its series and claims twice: with its own
/// preset and with `as`.
Figure load_figure(const std::string& name, const std::vector<Assignment>& sets, bool quick = false,
                   const std::string& as = "");

}  // namespace verbena::experiments
