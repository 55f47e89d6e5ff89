// Resolves the points of a figure file to commands. For .cc files only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/reproduce/figure/figure.h"
#include "experiments/reproduce/figure/table_reader.h"

namespace verbena::experiments {

/// A command's text, such as "bench read", and its place in the file.
struct PointCommand {
  std::string text;
  std::string place;
};

/// Command and settings that all points of a figure share.
struct PointDefaults {
  std::optional<PointCommand> command;
  std::vector<Assignment> settings;  ///< the preset's first
  std::vector<Assignment> sets;      ///< of the command line
  bool steady = false;               ///< see Figure::steady
};

/// A point's command, and what it was resolved from.
struct ResolvedPoint {
  CommandLine line;
  MeasuringCommand command;
};

/// Resolves a point. Later `layers` override earlier ones and the defaults' settings; the sets
/// override all. Throws ConfigurationError.
ResolvedPoint point_command(const PointDefaults& defaults, const PointCommand& command,
                            const std::vector<std::vector<Assignment>>& layers);

/// Reads the command under the key `command` of a table, which must have it.
PointCommand read_command(const TableReader& table);

/// Command of a series: its own, or the figure's. Throws when there is neither.
PointCommand series_command(const TableReader& series, const PointDefaults& defaults);

/// Name of a series. Throws when claims could not use it.
std::string series_name(const TableReader& series);

/// Adds the series of a figure with [x]: one point per place. `as`, unless empty, is the preset
/// that they are measured with; names and labels then show it.
void add_axis_series(const TableReader& root, const PointDefaults& defaults, Figure& figure,
                     const std::string& as = "");

/// Adds the series of a figure with [data]: one point per row of a table of published measurements.
void add_measured_series(const TableReader& root, const PointDefaults& defaults, Figure& figure);

}  // namespace verbena::experiments
