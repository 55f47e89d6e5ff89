// FETCH_AND_ADDs of the counter, and the oracle's list of what has finished.
#include "txn/nam/oracle/global_counter.h"

#include <atomic>
#include <mutex>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

using rdma::Work;

namespace {

// The lock's, and that of what has finished.
constexpr std::uint32_t kLockAndGuarded = 2;

}  // namespace

void CounterServer::serve(rdma::Worker& worker) {
  worker.rpc().serve(
      Method::kFinished,
      [this, &worker](const rdma::RpcCaller&, std::span<const std::byte> request, rdma::RpcReply&) {
        worker.core().spend(Work::kLocalAtomic);
        worker.core().change(line_, kLockAndGuarded);
        finished(MessageReader(request).take<Finished>().count);
      });
}

// Clients READ the last commit that snapshots hold, of the one slot that there is.
void CounterServer::finished(std::uint32_t count) {
  const std::lock_guard guard(changing_);
  auto* given = reinterpret_cast<std::uint64_t*>(
      vector_.at(layout_.vector().counter().offset, sizeof(std::uint64_t)));
  check_within(count, 1, std::atomic_ref(*given).load(std::memory_order_relaxed), "timestamp");
  done_.add(count);
  const RemoteAddress slot = layout_.vector().address(VectorLayout::kSharedSlot);
  auto* word = reinterpret_cast<std::uint32_t*>(vector_.at(slot.offset, sizeof(std::uint32_t)));
  std::atomic_ref(*word).store(done_.end(), std::memory_order_release);
}

std::optional<Stamp> GlobalCounter::take_before_locks() {
  std::uint64_t before = 0;
  batch_.fetch_and_add(layout_.vector().counter(), 1, &before);
  batch_.post();
  batch_.wait();
  taken_ = {.slot = VectorLayout::kSharedSlot,
            .count = next_count(before, VectorLayout::kSharedSlot)};
  return taken_;
}

void GlobalCounter::finish(const Stamp& stamp) {
  const Finished message{.count = stamp.count};
  worker_.rpc().notify(layout_.vector().counter().node, Method::kFinished,
                       std::as_bytes(std::span(&message, 1)));
}

}  // namespace verbena::txn::nam
