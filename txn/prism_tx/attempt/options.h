// Options of PRISM-TX.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"

namespace verbena::txn::prism_tx {

/// Round trips of validation.
enum class Prepare : std::uint8_t {
  kSequential,  ///< reads first; writes once all reads have been validated
  kPipelined,   ///< both in one
};

/// Release of the keys that an attempt was about to write when it is given up.
enum class AbortRule : std::uint8_t {
  kUndo,     ///< as before, if no attempt has come since; else as kEqual
  kEqual,    ///< counts as decided once everything before it is
  kGreater,  ///< counts as decided, with all before it (PRISM paper, section 8.2): may lose writes
};

/// Users' choices.
struct Options {
  Prepare prepare = Prepare::kSequential;
  AbortRule abort = AbortRule::kUndo;
  Nanoseconds clock_skew = kMicrosecond;  ///< most by which clocks of nodes differ
  bool merge_rmw = false;  ///< read and write of one key are validated by one operation
};

/// Returns the parameters, of section "tx".
std::vector<Parameter> parameters(Options& options);

}  // namespace verbena::txn::prism_tx
