// Partitions and a counter server.
#include "experiments/hunt/draw/draws.h"

namespace verbena::experiments {

// By RPCs alone.
void draw_si2pc(DrawnRun& run) {
  run.set("replicas", "1", {});
  run.sometimes(40, "si2pc.counter_workers", {"1", "1", "2"});
  run.sometimes(40, "si2pc.versions", {"1", "2"});
  run.sometimes(40, "si2pc.bucket_slots_percent", {"1", "5", "20"});
}

}  // namespace verbena::experiments
