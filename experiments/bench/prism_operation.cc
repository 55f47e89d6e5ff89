// The bench's operations, as applications would ask for them.
#include "experiments/bench/prism_operation.h"

#include "experiments/bench/prism_objects.h"

namespace verbena::experiments {

rdma::OpId add_prism_operation(Operation operation, rdma::PrismBatch& batch, rdma::ChainId chain,
                               std::span<const std::byte> payload, Random& random) {
  const std::uint64_t slot = PrismObjects::slot(random.next());
  const rdma::Target object{.offset = slot, .indirect = true, .bounded = true};
  switch (operation) {
    case Operation::kIndirectRead:
      return batch.read(chain, object, static_cast<std::uint32_t>(payload.size()));
    case Operation::kPrismWrite:
      return batch.write(chain, object, payload);
    case Operation::kAllocate:
      return batch.allocate(chain, PrismObjects::kBuffers, payload);
    default: {
      rdma::CasArguments swap{.mode = rdma::CompareMode::kGreater, .bytes = 16, .offset = slot};
      swap.swap_words = swap.compare_words = {random.next(), random.next()};
      swap.swap_mask.fill(~std::uint64_t{0});
      swap.compare_mask = swap.swap_mask;
      return batch.compare_and_swap(chain, swap);
    }
  }
}

}  // namespace verbena::experiments
