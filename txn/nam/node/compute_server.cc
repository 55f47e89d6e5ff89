// Transactions of a compute server, and what it does in the background.
#include "txn/nam/node/compute_server.h"

#include "rdma/worker.h"
#include "txn/nam/durability/recovery.h"
#include "txn/nam/oracle/global_counter.h"
#include "txn/nam/oracle/own_slot.h"
#include "txn/nam/oracle/snapshot_reader.h"
#include "txn/nam/transaction/transaction.h"

namespace verbena::txn::nam {

ComputeServer::ComputeServer(rdma::Endpoint& endpoint, const Layout& layout,
                             const TransactionLimits& limits, const NodeOptions& options,
                             Oracle oracle, std::deque<WorkerMetrics>& metrics)
    : endpoint_(endpoint),
      layout_(layout),
      limits_(limits),
      options_(options),
      oracle_(oracle),
      metrics_(metrics) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    if (options.extent_records > 0) {
      extents_.emplace_back(layout, options.extent_records, options.longest_transaction);
    }
    if (layout.grows()) catalog_caches_.emplace_back(layout);
    told_.emplace_back(endpoint.nodes());
  }
  if (options.background_snapshots)
    latest_ = std::make_unique<LatestVector>(layout.vector().slots());
  if (oracle == Oracle::kCompressed) {
    clock_ = std::make_unique<ServerClock>(layout.slot_of(endpoint.node(), {}, 0));
  }
}

// Where dead servers are looked for, no compute server is a memory server, too, so this is the only
// region that it has.
void ComputeServer::look_for_dead() {
  rdma::Region& beats =
      endpoint_.add_region("heartbeats", std::uint64_t{layout_.view().nodes()} * 8, {});
  heartbeat_ = std::make_unique<Heartbeat>(endpoint_, layout_.view(), options_, beats,
                                           static_cast<RegionId>(0));
}

void ComputeServer::note_dead(const FenceRequest& told) {
  if (heartbeat_) heartbeat_->note_dead(told);
}

std::unique_ptr<txn::Transaction> ComputeServer::transaction(WorkerId worker, std::uint16_t fiber,
                                                             rdma::Region* own_records) {
  rdma::Worker& own = endpoint_.worker(worker);
  return std::make_unique<NamTransaction>(
      own, fiber, layout_, limits_, options_, latest_.get(), timestamps(own, fiber), journals_,
      own_records, extents_.empty() ? nullptr : &extents_[worker],
      catalog_caches_.empty() ? nullptr : &catalog_caches_[worker], told_[worker],
      metrics_[worker]);
}

std::unique_ptr<Timestamps> ComputeServer::timestamps(rdma::Worker& worker, std::uint16_t fiber) {
  if (clock_) return std::make_unique<SharedSlot>(worker, *clock_, options_.await_publication);
  if (oracle_ == Oracle::kCounter) return std::make_unique<GlobalCounter>(worker, layout_);
  return std::make_unique<OwnSlot>(worker, layout_,
                                   layout_.slot_of(endpoint_.node(), worker.id(), fiber),
                                   options_.await_publication, !options_.restore.empty());
}

void ComputeServer::add_background(rdma::Worker& worker,
                                   std::vector<std::function<void()>>& bodies) {
  if (latest_) bodies.emplace_back([this, &worker] { fetch_vectors(worker); });
  if (clock_) bodies.emplace_back([this, &worker] { clock_->run(worker, layout_); });
  if (!heartbeat_) return;
  bodies.emplace_back([this, &worker] { heartbeat_->beat(worker); });
  bodies.emplace_back([this, &worker] { heartbeat_->watch(worker); });
  bodies.emplace_back([this, &worker] { heartbeat_->tell(worker); });
  bodies.emplace_back([this, &worker] { recover_others(worker); });
}

void ComputeServer::fetch_vectors(rdma::Worker& worker) {
  SnapshotReader reader(worker, layout_, options_.stable_snapshots, metrics_[worker.id()]);
  while (!worker.over()) {
    const Nanoseconds began_at = worker.now();
    latest_->set(began_at, reader.read(), worker.core());
    if (options_.fetch_pause > 0) worker.sleep_until(worker.now() + options_.fetch_pause);
  }
}

void ComputeServer::recover_others(rdma::Worker& worker) {
  Recovery recovery(worker, layout_, *journals_, limits_);
  heartbeat_->recover(worker, [&](NodeId dead) { recovery.run(dead); });
}

}  // namespace verbena::txn::nam
