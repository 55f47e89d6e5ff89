// The part of the table of settings that is explain's, and what concerns timelines.
#include "experiments/config/explain_settings.h"

namespace verbena::experiments {
namespace {

std::string check_trace(const std::string& text) {
  return text.empty() ? "expected the name of a file" : "";
}

}  // namespace

std::vector<Setting> explain_settings() {
  return {
      {.name = "inline",
       .placeholder = "",
       .help = "the request carries its data, which the NIC then does not fetch",
       .target = &Options::inlined,
       .commands = kForExplain},
      {.name = "state",
       .placeholder = "warm|qp-miss|cold",
       .help = "what the NICs' caches hold: all, all but the queue pair, or nothing",
       .target = &Options::state,
       .commands = kForExplain,
       .choices = {"warm", "qp-miss", "cold"}},
      {.name = "trace",
       .placeholder = "FILE",
       .help = "write a timeline to this file, for ui.perfetto.dev",
       .target = &Options::trace,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .check = check_trace},
      {.name = "trace-limit",
       .placeholder = "SLICES",
       .help = "how many slices of the timeline are written",
       .target = &Options::trace_limit,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .minimum = 1,
       .maximum = 100'000'000},
      {.name = "trace-from",
       .placeholder = "TIME",
       .help = "simulated time, from the start of the run, at which the timeline begins",
       .target = &Options::trace_from,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .maximum = 3600 * static_cast<std::uint64_t>(kSecond)},
  };
}

void set_explain_defaults(Options& options) {
  options.doorbell = "each";
  options.nodes = 2;
  options.threads = 16;  // so that a node may have as many NICs
  options.nics_per_node = 1;
}

}  // namespace verbena::experiments
