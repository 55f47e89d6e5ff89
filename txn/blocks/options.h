// Options of systems of replicated blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"
#include "txn/prism/deaths/death_options.h"

namespace verbena::txn::blocks {

/// The part of a block that a PUT reads before it writes.
enum class PutReads : std::uint8_t { kBlock, kTag };

/// The replicas that an operation asks.
enum class Ask : std::uint8_t {
  kAll,
  kQuorum,       ///< another one for each operation of a client
  kBlockQuorum,  ///< the same one for all operations on a block
};

/// Choices of users.
struct Options {
  bool skip_write_back = false;  ///< of a GET all of whose answers are the same version
  PutReads put_reads = PutReads::kBlock;
  Ask ask = Ask::kAll;
  Nanoseconds lock_backoff = 4 * kMicrosecond;  ///< of ABDLOCK, at first
  Nanoseconds lock_backoff_ceiling = 16 * kMillisecond;
};

/// The parameters that all such systems have, of section "blocks".
std::vector<Parameter> parameters(Options& options, prism::DeathOptions& deaths);

/// The parameters of locks, likewise.
std::vector<Parameter> lock_parameters(Options& options);

/// A number for EndpointOptions::agreement.
std::uint32_t agreement(const Options& options, const prism::DeathOptions& deaths,
                        std::uint64_t of_buffers);

}  // namespace verbena::txn::blocks
