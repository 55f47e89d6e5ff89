// The toy system's transactions, nodes and set-up.
#include "tests/examples/own_system/partition_locks.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/check/history.h"
#include "txn/participant.h"
#include "txn/transaction.h"

namespace verbena::testing {
namespace {

constexpr txn::AbortCause kPartitionLocked{0}, kRolledBack{1};

// A partition is slots of equal size, no smaller than the pages that are filled on first touch: its
// lock, then the initial records of its tables, each a version and a payload. Region 0 of a memory
// node has room for all partitions, compute nodes have none.
class Layout {
 public:
  static constexpr std::uint32_t kHeaderBytes = 8;  // a record's version

  explicit Layout(const txn::Deployment& all) : schema_(all.schema), view_(all.view) {
    for (const txn::TableDefinition& table : schema_) {
      first_slot_.push_back(slots_);
      slots_ += table.initial_records;
      slot_bytes_ = std::bit_ceil(std::max<std::uint64_t>(slot_bytes_, record_bytes(table)));
    }
  }

  const txn::Schema& schema() const { return schema_; }
  static std::uint32_t record_bytes(const txn::TableDefinition& table) {
    return kHeaderBytes + (table.payload_bytes + 7) / 8 * 8;
  }
  std::uint64_t region_bytes() const { return view_.partitions() * slots_ * slot_bytes_; }
  RemoteAddress lock(txn::PartitionId partition) const {
    return {
        .node = view_.primary(partition), .region = 0, .offset = partition * slots_ * slot_bytes_};
  }
  RemoteAddress record(const txn::RecordName& name, std::uint64_t index) const {
    RemoteAddress at = lock(name.partition);
    at.offset += (first_slot_[name.table] + index) * slot_bytes_;
    return at;
  }
  std::vector<std::byte> initial(txn::TableId table, txn::PartitionId partition,
                                 std::uint64_t index) const {
    std::vector<std::byte> record(slot_bytes_);
    record[0] = std::byte{1};  // the version
    const txn::TableDefinition& definition = schema_[table];
    if (definition.load) {
      definition.load(partition, definition.initial_key(index),
                      std::span(record).subspan(kHeaderBytes, definition.payload_bytes));
    }
    return record;
  }
  void load(std::uint64_t offset, std::span<std::byte> page) const {
    const std::uint64_t slot = offset / slot_bytes_ % slots_;
    if (slot == 0) return;
    const auto partition = static_cast<txn::PartitionId>(offset / slot_bytes_ / slots_);
    const auto next = std::upper_bound(first_slot_.begin(), first_slot_.end(), slot);
    const auto table = static_cast<txn::TableId>(next - first_slot_.begin() - 1);
    const auto record = initial(table, partition, slot - first_slot_[table]);
    std::copy_n(record.begin() + static_cast<std::ptrdiff_t>(offset % slot_bytes_), page.size(),
                page.begin());
  }

 private:
  txn::Schema schema_;
  txn::View view_;
  std::vector<std::uint64_t> first_slot_;  // by table
  std::uint64_t slots_ = 1;                // of a partition
  std::uint64_t slot_bytes_ = rdma::FirstTouchMemory::kPageBytes;
};

struct WorkerState {
  txn::Metrics metrics;
  txn::History history = {};
  Nanoseconds from = 0, until = 0;
};

class LockingTransaction final : public txn::Transaction {
 public:
  LockingTransaction(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                     const txn::Deployment& deployment, const PartitionLocks::Options& options,
                     WorkerState& shared)
      : txn::Transaction(worker),
        layout_(layout),
        options_(options),
        shared_(shared),
        memory_(worker.allocate_scratch(deployment.limits.record_bytes +
                                        8 * deployment.limits.records)),
        batch_(worker.connections()) {
    attempt_.owner = {.node = worker.node(), .worker = worker.id(), .fiber = fiber};
  }

  void begin_attempt(Kind kind) override {
    start_attempt(kind);
    accesses_.clear();
    wanted_.clear();
    fetched_ = used_ = 0;
    attempt_.owner.attempt = static_cast<std::uint16_t>(++attempt_.sequence);
    attempt_.begin = worker_.now();
    take_timestamp_if(Timestamps::kAtBegin);
  }

  Handle note(const txn::RecordName& name, Intent intent) override {
    for (Handle i = 0; i < accesses_.size(); ++i) {
      if (accesses_[i].name == name) return i;
    }
    const txn::TableDefinition& table = layout_.schema()[name.table];
    const auto index = table.initial_index(name.key);
    wanted_.insert(name.partition);
    accesses_.push_back({.name = name,
                         .index = index,
                         .at = layout_.record(name, index.value_or(0)),
                         .bytes = Layout::record_bytes(table),
                         .version = reinterpret_cast<std::uint64_t*>(&memory_[used_])});
    items_.push_back({.payload = &memory_[used_ + Layout::kHeaderBytes],
                      .bytes = table.payload_bytes,
                      .intent = intent});
    used_ += Layout::record_bytes(table);
    return static_cast<Handle>(accesses_.size() - 1);
  }

  bool fetch_noted() override {
    // In order, so that nobody waits in a circle for what is wanted at once.
    for (const txn::PartitionId partition : wanted_) {
      if (options_.locks && !lock(partition)) return false;
    }
    for (; fetched_ < accesses_.size(); ++fetched_) {
      const Access& access = accesses_[fetched_];
      if (access.index) batch_.read(access.at, access.version, access.bytes);
      items_[fetched_].found = access.index.has_value();
      items_[fetched_].fetched = true;
    }
    batch_.post();
    batch_.wait();
    return true;
  }

  bool commit_attempt() override {
    if (doomed()) return end(false);
    take_place();
    take_timestamp_if(Timestamps::kWhileLocked);
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      if (!items_[i].written) continue;
      const Access& access = accesses_[i];
      ++*access.version;
      batch_.write(access.at, access.version, access.bytes);
    }
    batch_.post();
    batch_.wait();
    return end(true);
  }

  bool roll_back_attempt() override {
    const bool stands = !doomed();
    for (Item& item : items_) item.written = false;
    if (stands) take_timestamp_if(Timestamps::kWhileLocked);
    if (stands) doom(kRolledBack);
    end(false);
    return stands;
  }

 private:
  using Timestamps = PartitionLocks::Timestamps;
  static constexpr int kTries = 30;

  struct Access {
    txn::RecordName name;
    std::optional<std::uint64_t> index;
    RemoteAddress at;
    std::uint32_t bytes;
    std::uint64_t* version;  // in front of the payload
  };

  // The time, and who has it, so that no two share one.
  void take_timestamp_if(Timestamps when) {
    if (options_.timestamps != when) return;
    const auto now = static_cast<std::uint64_t>(worker_.now().count());
    const txn::LockOwner& owner = attempt_.owner;
    take_timestamp(now << 12 | std::uint64_t{owner.node} << 9 | std::uint64_t{owner.worker} << 6 |
                   owner.fiber);
  }

  // Gives up after some tries, since another transaction may wait for what this one has locked.
  bool lock(txn::PartitionId partition) {
    if (std::find(locked_.begin(), locked_.end(), partition) != locked_.end()) return true;
    for (int i = 0; i < kTries; ++i) {
      std::uint64_t found = 0;
      batch_.compare_and_swap(layout_.lock(partition), 0, attempt_.owner.word(), &found);
      batch_.post();
      batch_.wait();
      if (found == 0) {
        locked_.push_back(partition);
        return true;
      }
      wait(2 * kMicrosecond);
    }
    doom(kPartitionLocked);
    return false;
  }

  bool end(bool committed) {
    const Nanoseconds decided = worker_.now();
    const std::uint64_t unlocked = 0;
    for (const txn::PartitionId partition : locked_) {
      batch_.write(layout_.lock(partition), &unlocked, sizeof unlocked);
    }
    if (!locked_.empty()) batch_.post_passive();
    locked_.clear();
    if (!committed && decided >= shared_.from && decided < shared_.until) {
      shared_.metrics.count(*cause());
    }
    std::vector<txn::HistoryAccess> accesses;
    for (std::size_t i = 0; i < fetched_; ++i) {
      const Access& access = accesses_[i];
      if (!access.index) continue;
      const bool written = committed && items_[i].written;
      accesses.push_back({.record = access.name,
                          .entry = static_cast<std::uint32_t>(*access.index),
                          .read_version = *access.version - (written ? 1 : 0),
                          .written_version = written ? *access.version : 0});
    }
    attempt_.committed = committed;
    attempt_.end = decided;
    shared_.history.add(attempt_, accesses);
    end_attempt(decided);
    return committed;
  }

  const Layout& layout_;
  const PartitionLocks::Options& options_;
  WorkerState& shared_;
  std::span<std::byte> memory_;  // of versions and payloads
  std::size_t used_ = 0;         // of it
  rdma::RequestBatch batch_;
  txn::HistoryEntry attempt_;
  std::vector<Access> accesses_;
  std::size_t fetched_ = 0;
  std::set<txn::PartitionId> wanted_;
  std::vector<txn::PartitionId> locked_;
};

class Node final : public txn::Participant, public txn::StateAtRest {
 public:
  Node(rdma::Endpoint& endpoint, const txn::Deployment& deployment, const txn::SystemInfo& info,
       const PartitionLocks::Options& options)
      : endpoint_(endpoint),
        deployment_(deployment),
        options_(options),
        layout_(deployment),
        workers_(endpoint.workers(), WorkerState{txn::Metrics(info)}) {
    if (deployment.view.computes(endpoint.node())) return;
    region_ = &endpoint.add_region("partitions", layout_.region_bytes(),
                                   std::bind_front(&Layout::load, &layout_));
  }

  std::unique_ptr<txn::Transaction> transaction(WorkerId w, std::uint16_t fiber) override {
    return std::make_unique<LockingTransaction>(endpoint_.worker(w), fiber, layout_, deployment_,
                                                options_, workers_[w]);
  }
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].from = from;
    workers_[worker].until = until;
  }
  txn::Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics; }
  const txn::History* history(WorkerId worker) const override {
    return deployment_.record_history ? &workers_[worker].history : nullptr;
  }
  txn::StateAtRest& state() override { return *this; }

  bool get(const txn::RecordName& name, std::span<std::byte> payload) override {
    const auto index = layout_.schema()[name.table].initial_index(name.key);
    if (!index) return false;
    const std::span<const std::byte> record = record_at(name, *index);
    std::copy_n(record.begin() + Layout::kHeaderBytes, payload.size(), payload.begin());
    return true;
  }

  void visit_changed(txn::TableId table, txn::PartitionId partition,
                     const ChangedRecord& visitor) override {
    const txn::TableDefinition& definition = layout_.schema()[table];
    for (std::uint64_t index = 0; index < definition.initial_records; ++index) {
      const txn::RecordName name{
          .table = table, .partition = partition, .key = definition.initial_key(index)};
      const std::span<const std::byte> record = record_at(name, index);
      const std::vector<std::byte> initial = layout_.initial(table, partition, index);
      if (std::equal(record.begin(), record.end(), initial.begin())) continue;
      visitor(name.key, true, record.subspan(Layout::kHeaderBytes, definition.payload_bytes));
    }
  }

  txn::SelfCheck self_check() override {
    txn::SelfCheck check;
    for (const txn::PartitionId partition : deployment_.view.primaries(endpoint_.node())) {
      if (*region_->at(layout_.lock(partition).offset, 8) != std::byte{0}) {
        check.errors.push_back("partition " + std::to_string(partition) + " is locked");
      }
      for (std::size_t table = 0; table < layout_.schema().size(); ++table) {
        visit_changed(static_cast<txn::TableId>(table), partition,
                      [&](auto&&...) { ++check.records; });
      }
    }
    return check;
  }

 private:
  std::span<const std::byte> record_at(const txn::RecordName& name, std::uint64_t index) {
    const std::uint64_t bytes = Layout::record_bytes(layout_.schema()[name.table]);
    return {region_->at(layout_.record(name, index).offset, bytes), bytes};
  }

  rdma::Endpoint& endpoint_;
  txn::Deployment deployment_;
  PartitionLocks::Options options_;
  Layout layout_;
  rdma::Region* region_ = nullptr;  // where memory is kept
  std::vector<WorkerState> workers_;
};

}  // namespace

PartitionLocks::PartitionLocks(const Options& options) : options_(options) {
  info_.name = "partition-locks";
  info_.abort_causes = {"partition_locked", "rolled_back"};
  if (options_.timestamps == Timestamps::kNone) return;
  info_.isolation = txn::Isolation::kSerializability;
  info_.ordered_by_timestamps = true;
}

txn::View PartitionLocks::place(const txn::ClusterShape& shape) const {
  if (shape.replicas != 1) throw ConfigurationError("partition locks need 1 replica");
  const std::uint32_t computing = shape.nodes - options_.memory_nodes;
  std::vector<txn::Role> roles(shape.nodes, txn::Role::kMemory);
  std::fill_n(roles.begin(), computing, txn::Role::kCompute);
  std::vector<std::vector<NodeId>> holders;
  for (std::uint32_t p = 0; p < 2 * options_.memory_nodes; ++p) {
    holders.push_back({static_cast<NodeId>(computing + p % options_.memory_nodes)});
  }
  return txn::View(std::move(roles), std::move(holders));
}

rdma::EndpointOptions PartitionLocks::endpoint(const rdma::EndpointOptions& asked,
                                               const txn::Deployment& deployment,
                                               NodeId node) const {
  std::vector<std::uint16_t> group_of;
  for (std::uint32_t n = 0; n < deployment.view.nodes(); ++n) {
    group_of.push_back(deployment.view.computes(static_cast<NodeId>(n)) ? 0 : 1);
  }
  rdma::EndpointOptions endpoint = asked;
  endpoint.nics = 1;  // which excludes its own atomics only
  endpoint.links = std::make_shared<const rdma::ClusterLinks>(
      std::vector<rdma::NodeGroup>{
          {.name = "compute", .workers = asked.workers, .own_node = false},
          {.name = "memory", .workers = options_.memory_workers, .own_node = false}},
      group_of, [](std::size_t a, std::size_t b) { return a != b; });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.fibers_per_worker = deployment.fibers;
  return endpoint;
}

std::unique_ptr<txn::Participant> PartitionLocks::join(rdma::Endpoint& endpoint,
                                                       const txn::Deployment& deployment) const {
  return std::make_unique<Node>(endpoint, deployment, info_, options_);
}

}  // namespace verbena::testing
