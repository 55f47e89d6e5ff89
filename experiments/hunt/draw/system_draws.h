// The table of the draws of settings, by protocol.
#pragma once

#include <string>

#include "experiments/hunt/draw/drawn_run.h"

namespace verbena::experiments {

/// All that hunts know of the systems of one protocol.
struct SystemDraws {
  const char* protocol;
  /// Draws the settings that only such systems have.
  void (*draw)(DrawnRun& run);
  /// Draws the settings that go by what the fabric does, which is drawn after `draw`; null: none.
  void (*draw_faults)(DrawnRun& run);
  /// The setting that limits how old a snapshot gets; null where there are none.
  const char* age_key;
  /// Counts TPC-C's warehouses for a drawn cluster: as many as keep each node that has records
  /// busy, and no more; null where it is refused.
  std::string (*warehouses)(const DrawnRun& run);
};

/// Finds the row of the protocol of a system of the program. Throws std::logic_error if hunts know
/// nothing of it: whoever registers a protocol adds its row.
const SystemDraws& draws_of(const std::string& system);

}  // namespace verbena::experiments
