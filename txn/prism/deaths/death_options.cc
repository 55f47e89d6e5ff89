// Names, ranges and helps.
#include "txn/prism/deaths/death_options.h"

#include <algorithm>
#include <utility>

#include "rdma/base/random.h"

namespace verbena::txn::prism {

Nanoseconds DeathOptions::beat_every() const {
  return heartbeat > 0 ? heartbeat : std::max(suspect_after / 8, 1_ns);
}

std::uint64_t DeathOptions::agreement(std::uint64_t before) const {
  const std::uint64_t all = mix64(before ^ static_cast<std::uint64_t>(suspect_after.count()));
  return mix64(all ^ static_cast<std::uint64_t>(heartbeat.count()));
}

std::vector<Parameter> death_parameters(DeathOptions& options, const std::string& section,
                                        std::string suspected) {
  return {{.name = "suspect_after",
           .help = std::move(suspected),
           .target = &options.suspect_after,
           .minimum = 1000,
           .maximum = 6e10},
          {.name = "heartbeat",
           .help = "period at which a client tells servers that it is alive; 0: eight times in " +
                   section + ".suspect_after",
           .target = &options.heartbeat,
           .maximum = 3e10,
           .condition = "at most half of " + section + ".suspect_after",
           .holds = [&options] { return options.heartbeat <= options.suspect_after / 2; }}};
}

}  // namespace verbena::txn::prism
