// Reading figure files.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// Reads a figure: a built-in one by its name, or a file by its path, which ends in .toml. The
/// format is explained in docs/figures.md. `sets` win over all settings of the file. Every point's
/// settings are resolved and every claim is evaluated once on made-up values, so that a figure that
/// loads can be measured and judged. Throws ConfigurationError, with file and line, otherwise.
/// `quick` leaves out places that the file can spare; claims that need them are left out too. With
/// `as`, the name of a preset or kOurs, a figure that has a preset has all its series and claims
/// twice: with its own preset, and with that one.
Figure load_figure(const std::string& name, const std::vector<Assignment>& sets, bool quick = false,
                   const std::string& as = "");

}  // namespace verbena::experiments
