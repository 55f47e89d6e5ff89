// The figures and data that are part of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/resolve.h"

namespace verbena::experiments {

/// The paths below experiments/figures of all files that are embedded, sorted.
std::vector<std::string> built_in_figure_paths();

/// The text of one of them; null for others.
const std::string* built_in_figure_text(std::string_view path);

/// The names of the built-in figures, "drtmh/5a", in natural order: 5a before 16a.
std::vector<std::string> figure_names();

/// The names of the built-in presets, sorted: settings of many figures that belong together.
std::vector<std::string> preset_names();

/// The settings of a preset. Throws ConfigurationError, with the nearest name, for one that does
/// not exist.
std::vector<Assignment> preset_settings(const std::string& name);

/// Figures that `arguments` ask for, in order and each once: names, paths of files (arguments that
/// end in .toml), `GROUP/all` and `all`. Throws ConfigurationError, with the nearest name, for
/// figures that do not exist.
std::vector<std::string> selected_figures(const std::vector<std::string>& arguments);

}  // namespace verbena::experiments
