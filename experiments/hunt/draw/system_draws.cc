// The table of protocols.
#include "experiments/hunt/draw/system_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "experiments/hunt/draw/draws.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

std::string one_of_each_node(const DrawnRun& run) { return run.value_of("nodes"); }

// One node counts.
std::string one_of_each_other_node(const DrawnRun& run) {
  return std::to_string(std::stoul(run.value_of("nodes")) - 1);
}

// One or two memory servers keep them.
std::string two(const DrawnRun& /*run*/) { return "2"; }

constexpr std::array kDraws = {
    SystemDraws{"abdlock", draw_abdlock, draw_abdlock_faults, nullptr, nullptr},
    SystemDraws{"nam", draw_nam, draw_nam_faults, "nam.longest_transaction", two},
    SystemDraws{"nam-naive", draw_nam, nullptr, "nam.longest_transaction", two},
    SystemDraws{"occ", draw_occ, nullptr, nullptr, one_of_each_node},
    SystemDraws{"pilaf", draw_pilaf, nullptr, nullptr, nullptr},
    SystemDraws{"prism-kv", draw_prism_kv, nullptr, nullptr, nullptr},
    SystemDraws{"prism-rs", draw_prism_rs, draw_prism_rs_faults, nullptr, nullptr},
    SystemDraws{"prism-tx", draw_prism_tx, nullptr, nullptr, two},
    SystemDraws{"si2pc", draw_si2pc, nullptr, "si2pc.longest_transaction", one_of_each_other_node}};

}  // namespace

const SystemDraws& draws_of(const std::string& system) {
  const std::string protocol = txn::protocol_of_system(system);
  const auto* const found = std::ranges::find(kDraws, protocol, &SystemDraws::protocol);
  if (found == kDraws.end()) {
    throw std::logic_error(
        fmt::format("system '{}': hunts draw nothing of protocol '{}'", system, protocol));
  }
  return *found;
}

}  // namespace verbena::experiments
