// Extensions of PRISM that NICs lack.
#include <array>
#include <cstdint>
#include <string>

#include "experiments/hunt/draw/draws.h"
#include "rdma/base/random.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

constexpr const char* kKey = "prism.without";

}  // namespace

// Where operations may overtake each other, a record's read and write are validated by one. The
// buffers of those that die are lost for the rest of the run.
void draw_without(DrawnRun& run, std::uint64_t seed, std::uint64_t draw) {
  constexpr std::uint64_t kStream = 0x776974686f7574;
  const std::string protocol = txn::protocol_of_system(run.system());
  if (!protocol.starts_with("prism-")) return;
  Random random(mix64(seed ^ kStream) + draw);
  const bool drawn = random.below(3) == 0;
  constexpr std::array kExtensions = {"indirection", "allocation", "chaining", "cas"};
  const std::uint64_t of = protocol == "prism-tx" ? kExtensions.size() - 1 : kExtensions.size();
  if (drawn) run.set(kKey, kExtensions[random.below(of)], {""});
  const std::string without = run.value_of(kKey);
  if (without.empty() || without == "nothing") return;
  if (without == "chaining" && run.value_of("tx.prepare") == "pipelined") {
    run.set("tx.merge_rmw", "true", {});
  }
  if (run.has("faults.kill_at")) run.set("prism.spares", "64", {});
}

}  // namespace verbena::experiments
