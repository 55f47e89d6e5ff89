// Options of systems of replicated blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"
#include "txn/prism/deaths/death_options.h"

namespace verbena::txn::blocks {

/// Part of a block that a PUT reads before it writes.
enum class PutReads : std::uint8_t { kBlock, kTag };

/// Replicas that an operation asks.
enum class Ask : std::uint8_t {
  kAll,
  kQuorum,       ///< a different one for each operation of a client
  kBlockQuorum,  ///< the same one for all operations on a block
};

/// Options of users.
struct Options {
  bool skip_write_back = false;  ///< of a GET whose answers all have the same version
  PutReads put_reads = PutReads::kBlock;
  Ask ask = Ask::kAll;
  Nanoseconds lock_backoff = 4 * kMicrosecond;  ///< of ABDLOCK, first limit
  Nanoseconds lock_backoff_ceiling = 16 * kMillisecond;
};

/// Describes the parameters of section "blocks" that all these systems have.
std::vector<Parameter> parameters(Options& options, prism::DeathOptions& deaths);

/// Describes the parameters of locks, in the same section.
std::vector<Parameter> lock_parameters(Options& options);

/// Number for EndpointOptions::agreement.
std::uint32_t agreement(const Options& options, const prism::DeathOptions& deaths,
                        std::uint64_t of_buffers);

}  // namespace verbena::txn::blocks
