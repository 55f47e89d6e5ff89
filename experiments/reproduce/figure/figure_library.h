// The figures and data that are built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// Paths of all embedded files, relative to experiments/figures, sorted.
std::vector<std::string> built_in_figure_paths();

/// Text of an embedded file; null for other paths.
const std::string* built_in_figure_text(std::string_view path);

/// Names of the built-in figures, such as "drtmh/5a", in natural order: 5a before 16a.
std::vector<std::string> figure_names();

/// Names of the built-in presets, sorted. A preset has settings that many figures share.
std::vector<std::string> preset_names();

/// Settings of a preset. Throws ConfigurationError, with the nearest name, for an unknown one.
std::vector<Assignment> preset_settings(const std::string& name);

/// Figures that `arguments` select, in order and each once. Arguments are names, paths of files
/// (which end in .toml), `GROUP/all` and `all`. Throws ConfigurationError, with the nearest name,
/// for unknown figures.
std::vector<std::string> selected_figures(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
