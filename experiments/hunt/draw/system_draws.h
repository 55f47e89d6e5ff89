// Functions that draw settings, by protocol.
#pragma once

#include <string>

#include "experiments/hunt/draw/drawn_run.h"

namespace verbena::experiments {

/// Everything that a hunt knows of the systems of one protocol.
struct SystemDraws {
  const char* protocol;
  /// Draws the settings that only these systems have.
  void (*draw)(DrawnRun& run);
  /// Draws the settings that depend on the fabric, which is drawn after `draw`; null: none.
  void (*draw_faults)(DrawnRun& run);
  /// Key of the setting that limits the age of snapshots; null where there are none.
  const char* age_key;
  /// Returns the number of TPC-C's warehouses for a drawn cluster: just enough to keep each node
  /// with records busy. Null where TPC-C is refused.
  std::string (*warehouses)(const DrawnRun& run);
};

/// Finds the row for the protocol of `system`. Throws std::logic_error if there is none: a new
/// protocol needs a row in the table.
const SystemDraws& draws_of(const std::string& system);

}  // namespace verbena::experiments
