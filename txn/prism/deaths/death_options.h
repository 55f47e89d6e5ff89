// Options for detecting nodes that have died.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"

namespace verbena::txn::prism {

/// Users' choices about silent nodes.
struct DeathOptions {
  Nanoseconds suspect_after = kSecond;  ///< a node that is silent for longer counts as dead
  Nanoseconds heartbeat = 0;            ///< 0: an eighth of that

  Nanoseconds beat_every() const;

  /// Mixes them into the digest that nodes have to agree on.
  std::uint64_t agreement(std::uint64_t before) const;
};

/// Returns the parameters of `section`; `suspected` names the suspected nodes in words.
std::vector<Parameter> death_parameters(DeathOptions& options, const std::string& section,
                                        std::string suspected);

}  // namespace verbena::txn::prism
