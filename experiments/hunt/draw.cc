// The order of the draws: first what others go by.
#include "experiments/hunt/draw.h"

#include "experiments/hunt/drawn_run.h"
#include "experiments/hunt/draws.h"
#include "experiments/hunt/system_draws.h"
#include "rdma/base/random.h"

namespace verbena::experiments {
namespace {

// The same one whenever a seed is drawn: else those that take few settings would hardly be tried.
const std::string& one_of_systems(std::uint64_t seed, const HuntGround& ground) {
  return ground.systems[Random(mix64(~seed)).below(ground.systems.size())];
}

// Also by a stream of its own, which leaves all other settings of a seed as they are.
void draw_prism(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x707269736d;
  if (Random(mix64(seed ^ kStream) + draw).below(10) == 0) run.set("prism", "software", {""});
}

}  // namespace

HuntedRun draw_run(std::uint64_t seed, const HuntGround& ground, std::uint64_t draw) {
  DrawnRun run(seed, draw, ground, one_of_systems(seed, ground));
  draw_cluster(run);
  draw_length(run);
  run.set("system", run.system(), {""});
  const SystemDraws& of_system = draws_of(run.system());
  of_system.draw(run);
  draw_workload(run);
  draw_fabric(run);
  if (of_system.draw_faults != nullptr) of_system.draw_faults(run);
  draw_workers(run);
  draw_patience(run);
  draw_prism(run, seed, draw);
  return run.take();
}

}  // namespace verbena::experiments
