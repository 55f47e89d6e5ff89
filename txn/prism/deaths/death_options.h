// Options by which nodes that have died are found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"

namespace verbena::txn::prism {

/// Choices of users about silence.
struct DeathOptions {
  Nanoseconds suspect_after = kSecond;  ///< who is silent for longer counts as dead
  Nanoseconds heartbeat = 0;            ///< 0: an eighth of that

  Nanoseconds beat_every() const;

  /// Mixes them into what nodes have to agree on.
  std::uint64_t agreement(std::uint64_t before) const;
};

/// The parameters, of `section`, with who is suspected in words.
std::vector<Parameter> death_parameters(DeathOptions& options, const std::string& section,
                                        std::string suspected);

}  // namespace verbena::txn::prism
