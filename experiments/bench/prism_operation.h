// Chains of the bench, each of one operation.
#pragma once

#include <cstddef>
#include <span>

#include "experiments/bench/bench_options.h"
#include "rdma/base/random.h"
#include "rdma/prism/prism_batch.h"

namespace verbena::experiments {

/// Adds an operation, one that is_prism(), to `chain` of `batch`, on the slot of PrismObjects that
/// `random` picks. `payload` is as long as what is read or written.
rdma::OpId add_prism_operation(Operation operation, rdma::PrismBatch& batch, rdma::ChainId chain,
                               std::span<const std::byte> payload, Random& random);

}  // namespace verbena::experiments
