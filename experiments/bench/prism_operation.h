// Chains of one operation, for the bench.
#pragma once

#include <cstddef>
#include <span>

#include "experiments/bench/bench_options.h"
#include "rdma/base/random.h"
#include "rdma/prism/prism_batch.h"

namespace verbena::experiments {

/// Adds `operation`, which must be one that is_prism(), to `chain` of `batch`. It uses the slot of
/// PrismObjects that `random` selects; `payload` has the length that is read or written.
rdma::OpId add_prism_operation(Operation operation, rdma::PrismBatch& batch, rdma::ChainId chain,
                               std::span<const std::byte> payload, Random& random);

}  // namespace verbena::experiments
