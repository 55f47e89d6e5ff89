// Options of PRISM-TX.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"

namespace verbena::txn::prism_tx {

/// The round trips of validation.
enum class Prepare : std::uint8_t {
  kSequential,  ///< reads first; writes once all of these have been validated
  kPipelined,   ///< both in one
};

/// The way in which an attempt that is given up releases keys that it was about to write.
enum class AbortRule : std::uint8_t {
  kUndo,     ///< as before, if nobody has come since; else as with kEqual
  kEqual,    ///< counts as decided once all that came before it is
  kGreater,  ///< counts as decided, with all before it (PRISM paper, section 8.2): may lose writes
};

/// Choices of users.
struct Options {
  Prepare prepare = Prepare::kSequential;
  AbortRule abort = AbortRule::kUndo;
  Nanoseconds clock_skew = kMicrosecond;  ///< clocks of nodes differ by no more
  bool merge_rmw = false;  ///< read and write of one key are validated by one operation
};

/// The parameters, of section "tx".
std::vector<Parameter> parameters(Options& options);

}  // namespace verbena::txn::prism_tx
