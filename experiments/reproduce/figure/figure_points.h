// From what a figure file says of its points to resolved commands. For .cc files only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/reproduce/figure/figure.h"
#include "experiments/reproduce/figure/table_reader.h"

namespace verbena::experiments {

/// "bench read", and where it stands.
struct PointCommand {
  std::string text;
  std::string place;
};

/// Command and settings that all points of a figure share.
struct PointDefaults {
  std::optional<PointCommand> command;
  std::vector<Assignment> settings;  ///< those of the preset first
  std::vector<Assignment> sets;      ///< of the command line
  bool steady = false;               ///< see Figure::steady
};

/// A point's command, and what it was resolved from.
struct ResolvedPoint {
  CommandLine line;
  MeasuringCommand command;
};

/// Resolves a point. Of `layers` the later ones win, over the defaults' settings; the sets win over
/// all. Throws ConfigurationError.
ResolvedPoint point_command(const PointDefaults& defaults, const PointCommand& command,
                            const std::vector<std::vector<Assignment>>& layers);

/// Command that the key `command` of a table names; it has to be there.
PointCommand read_command(const TableReader& table);

/// The command of a series: its own, or the figure's. Throws when there is neither.
PointCommand series_command(const TableReader& series, const PointDefaults& defaults);

/// The name of a series. Throws when claims could not use it.
std::string series_name(const TableReader& series);

/// Adds the series of a figure with [x]: one point per place. With `as`, which is what they are
/// measured as, names and labels tell so.
void add_axis_series(const TableReader& root, const PointDefaults& defaults, Figure& figure,
                     const std::string& as = "");

/// Fills in the series of a figure with [data]: one point per row of a table that was measured.
void add_measured_series(const TableReader& root, const PointDefaults& defaults, Figure& figure);

}  // namespace verbena::experiments
