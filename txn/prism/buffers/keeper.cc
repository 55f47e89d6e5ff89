// Posting buffers, some at a time.
#include "txn/prism/buffers/keeper.h"

#include <algorithm>
#include <stdexcept>

#include "rdma/worker.h"

namespace verbena::txn::prism {
namespace {

/// Between two looks at the lists.
constexpr Nanoseconds kPause = 20 * kMicrosecond;

}  // namespace

Keeper::Keeper(const std::vector<BufferList>& lists, std::uint32_t low_water, RegionId region,
               rdma::ChainServer& server)
    : lists_(lists), low_water_(low_water), server_(server) {
  for (const BufferList& list : lists) {
    const rdma::FreeListId id =
        server.add_free_list(region, list.first, list.buffer_bytes, list.buffers());
    posted_.push_back(list.loaded);
    post(id, list.spares);
  }
}

void Keeper::post(rdma::FreeListId list, std::uint32_t buffers) {
  const BufferList& own = lists_[list];
  for (std::uint32_t i = 0; i < buffers; ++i, ++posted_[list]) {
    const std::uint64_t offset = own.offset_of(posted_[list]);
    if (server_.free_list(list).post_new(offset) != rdma::FreeList::Post::kPosted) {
      throw std::logic_error("a buffer that was never used is none, or free already");
    }
  }
}

void Keeper::refill(rdma::FreeListId list, rdma::Worker& worker) {
  const BufferList& own = lists_[list];
  const std::uint32_t low = low_water_ != 0 ? low_water_ : std::max(1U, own.spares / 4);
  const std::uint32_t left = own.buffers() - posted_[list];
  if (left == 0 || server_.free_list(list).listed() >= low) return;
  worker.core().reach("prism: free list given more buffers");
  const std::uint32_t more = std::min(left, std::max(low, own.spares / 2));
  worker.core().spend(rdma::Work::kPrismOp, more);
  post(list, more);
}

void Keeper::run(rdma::Worker& worker, Scavenger& scavenger) {
  while (!worker.over()) {
    for (std::size_t list = 0; list < posted_.size(); ++list) {
      refill(static_cast<rdma::FreeListId>(list), worker);
    }
    scavenger.look(worker);
    worker.sleep_until(worker.now() + kPause);
  }
  scavenger.finish(worker);
}

}  // namespace verbena::txn::prism
