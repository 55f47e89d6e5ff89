// Regions of records and journals, and what a memory server does in the background.
#include "txn/nam/node/memory_server.h"

#include "rdma/worker.h"
#include "txn/nam/index/grower.h"
#include "txn/nam/node/record_checks.h"
#include "txn/nam/records/record_bounds.h"

namespace verbena::txn::nam {

MemoryServer::MemoryServer(rdma::Endpoint& endpoint, const Layout& layout,
                           const NodeOptions& options, std::atomic<std::uint32_t>& claims)
    : endpoint_(endpoint),
      layout_(layout),
      options_(options),
      records_(endpoint.add_region("records", layout.records_bytes(endpoint.node()),
                                   layout.loader(endpoint.node()))),
      at_rest_(layout, records_, index_of()) {
  if (layout_.overflows()) {
    overflow_ = std::make_unique<Overflow>(layout_, records_.memory(), options.longest_transaction);
    mover_ = std::make_unique<Mover>(layout_, records_.memory(), *overflow_);
  }
  make_indexes();
  if (layout_.grows()) {
    catalog_ = std::make_unique<Catalog>(layout_, endpoint.node(), records_.memory());
  }
  if (layout_.collects()) {
    collector_ = std::make_unique<Collector>(layout_, options.longest_transaction);
  }
  serve(claims);
}

void MemoryServer::make_indexes() {
  for (const PartitionId partition : layout_.view().primaries(endpoint_.node())) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      indexes_.emplace_back(layout_, partition, static_cast<TableId>(t), records_.memory(),
                            options_.longest_transaction, overflow_.get());
    }
  }
}

void MemoryServer::serve(std::atomic<std::uint32_t>& claims) {
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    rdma::Worker& worker = endpoint_.worker(static_cast<WorkerId>(w));
    services_.emplace_back(worker, index_of(), collector_.get(), overflow_.get(), claims);
    if (catalog_) catalog_->serve(worker);
  }
}

void MemoryServer::restore(const RestoredState& state) {
  state.restore(endpoint_.node(), records_, index_of());
  if (catalog_) restore_catalog(state);
}

// As KeyIndex::restore has it.
void MemoryServer::restore_catalog(const RestoredState& state) {
  for (std::uint32_t p = 0; p < layout_.view().partitions(); ++p) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      const RecordName name{
          .table = static_cast<TableId>(t), .partition = static_cast<PartitionId>(p), .key = 0};
      if (layout_.catalog_home(name) != endpoint_.node()) continue;
      catalog_->begin_with(part_of(name),
                           layout_.generation_for(name.table, state.used_entries(name)));
    }
  }
}

void MemoryServer::keep_journals(const JournalLayout& journals,
                                 std::span<const std::uint32_t> counts) {
  journals_ = &journals;
  rings_ = &endpoint_.add_region("journals", journals.region_bytes(), {});
  if (options_.checkpoints.empty()) return;
  checkpoints_ = std::make_unique<Checkpoints>(layout_, journals, options_, endpoint_.node(),
                                               records_, *rings_, index_of());
  checkpoints_->begin(counts);
  for (KeyIndex& index : indexes_) {
    index.reuse_when([this](Nanoseconds since) { return checkpoints_->holds_free(since); });
  }
}

// Where nothing is saved, all is lost with the server. Compute servers may go on for a while: what
// they write from now on must not be acknowledged, or they would tell of what was not saved.
void MemoryServer::save_journals() {
  if (!checkpoints_) return;
  for (std::uint32_t n = 0; n < endpoint_.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (peer != endpoint_.node() && endpoint_.connected(peer)) endpoint_.fence(peer);
  }
  checkpoints_->save_journals();
}

void MemoryServer::add_background(rdma::Worker& worker,
                                  std::vector<std::function<void()>>& bodies) {
  if (collector_) bodies.emplace_back([this, &worker] { collector_->run(worker, index_of()); });
  if (catalog_) bodies.emplace_back([this, &worker] { grow_tables(worker, layout_, index_of()); });
  if (mover_) bodies.emplace_back([this, &worker] { mover_->run(worker); });
  if (checkpoints_) bodies.emplace_back([this, &worker] { checkpoints_->run(worker); });
}

IndexOf MemoryServer::index_of() {
  return [this](PartitionId partition, TableId table) -> KeyIndex& {
    check_kept(layout_, endpoint_.node(), partition, table);
    return indexes_[layout_.place(partition) * layout_.schema().size() + table];
  };
}

SelfCheck MemoryServer::self_check() {
  RecordChecks checks(layout_, endpoint_.node(), records_, at_rest_, overflow_.get(), journals_,
                      rings_);
  return checks.run();
}

}  // namespace verbena::txn::nam
