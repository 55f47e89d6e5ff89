// Regions, and looking at records that are at rest.
#include "txn/nam/node/node.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/worker.h"
#include "txn/nam/durability/recovery.h"
#include "txn/nam/durability/restored_state.h"
#include "txn/nam/index/grower.h"
#include "txn/nam/oracle/own_slot.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/touched_entries.h"
#include "txn/nam/records/version.h"
#include "txn/nam/transaction/transaction.h"
#include "txn/value_digest.h"

namespace verbena::txn::nam {
namespace {

constexpr std::size_t kMostErrors = 10;

void report(SelfCheck& check, const RecordName& name, const std::string& what) {
  if (check.errors.size() == kMostErrors) return;
  check.errors.push_back("table " + std::to_string(name.table) + " partition " +
                         std::to_string(name.partition) + " key " + std::to_string(name.key) + " " +
                         what);
}

}  // namespace

Node::Node(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
           const Shape& shape, const NodeOptions& options)
    : endpoint_(endpoint),
      deployment_(deployment),
      oracle_(shape.oracle),
      layout_(deployment, shape),
      options_(options),
      restored_(layout_.slots()) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  const NodeId node = endpoint.node();
  if (layout_.keeps(node)) {
    records_ = &endpoint.add_region("records", layout_.records_bytes(node), layout_.loader(node));
    if (layout_.overflows()) {
      overflow_ =
          std::make_unique<Overflow>(layout_, records_->memory(), options.longest_transaction);
      mover_ = std::make_unique<Mover>(layout_, records_->memory(), *overflow_);
    }
    for (const PartitionId partition : layout_.view().primaries(node)) {
      for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
        indexes_.emplace_back(layout_, partition, static_cast<TableId>(t), records_->memory(),
                              options.longest_transaction, overflow_.get());
      }
    }
    if (layout_.grows()) {
      catalog_ = std::make_unique<Catalog>(layout_, node, records_->memory());
    }
    if (layout_.collects()) {
      collector_ = std::make_unique<Collector>(layout_, options.longest_transaction);
    }
    for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
      services_.emplace_back(endpoint.worker(static_cast<WorkerId>(w)), index_of(),
                             collector_.get(), overflow_.get(), claims_);
      if (catalog_) catalog_->serve(endpoint.worker(static_cast<WorkerId>(w)));
    }
  }
  for (std::uint32_t w = 0; options.extent_records > 0 && w < endpoint.workers(); ++w) {
    extents_.emplace_back(layout_, options.extent_records, options.longest_transaction);
  }
  for (std::uint32_t w = 0; layout_.grows() && w < endpoint.workers(); ++w) {
    catalog_caches_.emplace_back(layout_);
  }
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) told_.emplace_back(endpoint.nodes());
  if (deployment.view.computes(node) && options.background_snapshots) {
    latest_ = std::make_unique<LatestVector>(layout_.slots());
  }
  if (deployment.view.computes(node) && shape.oracle == Oracle::kCompressed) {
    clock_ = std::make_unique<ServerClock>(layout_.slot_of(node, {}, 0));
  }
  if (layout_.is_oracle(node)) keep_vector();
  if (options.journals > 0) keep_journals();
  if (options.heartbeat > 0) serve_recoveries();
}

void Node::keep_journals() {
  journals_ = std::make_unique<JournalLayout>(
      layout_, options_.journals, journal_ring_bytes(layout_, deployment_.limits, options_),
      !options_.checkpoints.empty());
  if (!options_.restore.empty()) restore();
  if (records_ == nullptr) return;
  rings_ = &endpoint_.add_region("journals", journals_->region_bytes(), {});
  if (options_.checkpoints.empty()) return;
  checkpoints_ = std::make_unique<Checkpoints>(layout_, *journals_, options_, endpoint_.node(),
                                               *records_, *rings_, index_of());
  checkpoints_->begin(restored_);
  for (KeyIndex& index : indexes_) {
    index.reuse_when([this](Nanoseconds since) { return checkpoints_->holds_free(since); });
  }
}

void Node::restore() {
  if (records_ == nullptr && vector_ == nullptr) return;
  const RestoredState state(options_.restore, layout_, *journals_);
  restored_ = state.counts();
  if (records_ != nullptr) state.restore(endpoint_.node(), *records_, index_of());
  if (catalog_) restore_catalog(state);
  if (vector_ == nullptr) return;
  std::ranges::copy(restored_, reinterpret_cast<std::uint32_t*>(
                                   vector_->at(0, layout_.slots() * sizeof(std::uint32_t))));
}

// As KeyIndex::restore has it.
void Node::restore_catalog(const RestoredState& state) {
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

// Where nothing is saved, all is lost with the server. Compute servers may go on for a while: what
// they write from now on must not be acknowledged, or they would tell of what was not saved.
void Node::save_journals() {
  if (!checkpoints_) return;
  for (std::uint32_t n = 0; n < endpoint_.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (peer != endpoint_.node() && endpoint_.connected(peer)) endpoint_.fence(peer);
  }
  checkpoints_->save_journals();
}

void Node::keep_vector() {
  vector_ = &endpoint_.add_region("vector", layout_.oracle_bytes(), {});
  if (oracle_ != Oracle::kCounter) return;
  counter_ = std::make_unique<CounterServer>(*vector_, layout_);
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    counter_->serve(endpoint_.worker(static_cast<WorkerId>(w)));
  }
}

// Only compute servers have a region of heartbeats, their only one.
void Node::serve_recoveries() {
  const NodeId node = endpoint_.node();
  if (deployment_.view.computes(node)) {
    rdma::Region& beats =
        endpoint_.add_region("heartbeats", std::uint64_t{deployment_.view.nodes()} * 8, {});
    heartbeat_ = std::make_unique<Heartbeat>(endpoint_, deployment_.view, options_, beats,
                                             static_cast<RegionId>(0));
  }
  const auto note_dead = [this](const FenceRequest& told) {
    if (heartbeat_) heartbeat_->note_dead(told);
  };
  for (std::uint32_t w = 0; w < endpoint_.workers(); ++w) {
    recoveries_.emplace_back(endpoint_.worker(static_cast<WorkerId>(w)),
                             records_ != nullptr ? index_of() : IndexOf(), note_dead, claims_);
  }
}

void Node::recover_others(rdma::Worker& worker) {
  Recovery recovery(worker, layout_, *journals_, deployment_.limits);
  heartbeat_->recover(worker, [&](NodeId dead) { recovery.run(dead); });
}

std::vector<std::uint32_t> Node::published() {
  if (vector_ == nullptr || layout_.parts() > 1) return {};
  const auto* counts = reinterpret_cast<const std::uint32_t*>(
      vector_->at(0, layout_.slots() * sizeof(std::uint32_t)));
  return {counts, counts + layout_.slots()};
}

// Addresses are computed from the node's own layout.
void Node::start() {
  for (std::uint32_t n = 0; n < endpoint_.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (!endpoint_.connected(peer) || lays_out_alike(peer)) continue;
    throw ConfigurationError("node " + std::to_string(peer) +
                             " lays out its memory otherwise than node " +
                             std::to_string(endpoint_.node()) +
                             "; tables, coroutines and all of nam must be the same on all nodes");
  }
}

// Regions are numbered as they were added.
bool Node::lays_out_alike(NodeId peer) const {
  std::vector<std::uint64_t> expected;
  if (layout_.keeps(peer)) {
    expected.push_back(layout_.records_bytes(peer));
  }
  if (layout_.is_oracle(peer)) expected.push_back(layout_.oracle_bytes());
  if (journals_ && layout_.keeps(peer)) {
    expected.push_back(journals_->region_bytes());
  }
  for (std::size_t region = 0; region < expected.size(); ++region) {
    if (endpoint_.region_size(peer, static_cast<RegionId>(region)) != expected[region])
      return false;
  }
  return true;
}

std::unique_ptr<txn::Transaction> Node::transaction(WorkerId worker, std::uint16_t fiber) {
  rdma::Worker& own = endpoint_.worker(worker);
  return std::make_unique<NamTransaction>(
      own, fiber, layout_, deployment_.limits, options_, latest_.get(), timestamps(own, fiber),
      journals_.get(), options_.own_by_cpu() ? records_ : nullptr,
      extents_.empty() ? nullptr : &extents_[worker],
      catalog_caches_.empty() ? nullptr : &catalog_caches_[worker], told_[worker],
      workers_[worker]);
}

std::unique_ptr<Timestamps> Node::timestamps(rdma::Worker& worker, std::uint16_t fiber) {
  if (clock_) return std::make_unique<SharedSlot>(worker, *clock_, options_.await_publication);
  if (oracle_ == Oracle::kCounter) return std::make_unique<GlobalCounter>(worker, layout_);
  return std::make_unique<OwnSlot>(worker, layout_,
                                   layout_.slot_of(endpoint_.node(), worker.id(), fiber),
                                   options_.await_publication, restored());
}

std::vector<std::function<void()>> Node::background(WorkerId worker) {
  if (worker != 0) return {};
  rdma::Worker& own = endpoint_.worker(worker);
  std::vector<std::function<void()>> bodies;
  if (collector_) bodies.emplace_back([this, &own] { collector_->run(own, index_of()); });
  if (catalog_) bodies.emplace_back([this, &own] { grow_tables(own, layout_, index_of()); });
  if (mover_) bodies.emplace_back([this, &own] { mover_->run(own); });
  if (checkpoints_) bodies.emplace_back([this, &own] { checkpoints_->run(own); });
  if (latest_) bodies.emplace_back([this, &own] { fetch_vectors(own); });
  if (clock_) bodies.emplace_back([this, &own] { clock_->run(own, layout_); });
  if (heartbeat_) {
    bodies.emplace_back([this, &own] { heartbeat_->beat(own); });
    bodies.emplace_back([this, &own] { heartbeat_->watch(own); });
    bodies.emplace_back([this, &own] { heartbeat_->tell(own); });
    bodies.emplace_back([this, &own] { recover_others(own); });
  }
  return bodies;
}

void Node::fetch_vectors(rdma::Worker& worker) {
  SnapshotReader reader(worker, layout_, options_.stable_snapshots, workers_[worker.id()]);
  while (!worker.over()) {
    const Nanoseconds began_at = worker.now();
    latest_->set(began_at, reader.read(), worker.core());
    if (options_.fetch_pause > 0) worker.sleep_until(worker.now() + options_.fetch_pause);
  }
}

IndexOf Node::index_of() {
  return [this](PartitionId partition, TableId table) -> KeyIndex& {
    check_kept(layout_, endpoint_.node(), partition, table);
    return index(partition, table);
  };
}

KeyIndex& Node::index(PartitionId partition, TableId table) {
  return indexes_[layout_.place(partition) * layout_.schema().size() + table];
}

RecordImage Node::live(const RecordName& name, std::uint64_t entry) {
  const ImageFormat& format = layout_.table(name.table).format;
  return RecordImage(records_->at(layout_.current(name, entry).offset, format.bytes()));
}

bool Node::get(const RecordName& name, std::span<std::byte> payload) {
  const auto entry = index(name.partition, name.table).find(name.key);
  if (!entry) return false;
  const RecordImage image = live(name, *entry);
  if (deleted(image.version())) return false;
  layout_.table(name.table).format.extract(image, payload.data());
  return true;
}

// Those on pages that nobody has looked at are as they were loaded.
template <typename Visit>
void Node::for_each_touched(TableId table, PartitionId partition, std::uint64_t from,
                            std::uint64_t until, Visit&& visit) {
  RecordName name{.table = table, .partition = partition, .key = 0};
  nam::for_each_touched(layout_, records_->memory(), name, from, until, [&](std::uint64_t entry) {
    name.key = live(name, entry).key();
    visit(name, entry);
  });
}

template <typename Visit>
void Node::for_each_touched(TableId table, PartitionId partition, Visit&& visit) {
  for_each_touched(table, partition, 0, index(partition, table).used_entries(),
                   std::forward<Visit>(visit));
}

void Node::visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) {
  const ImageFormat& format = layout_.table(table).format;
  std::vector<std::byte> payload(format.payload_bytes());
  KeyIndex& keys = index(partition, table);
  const KeyShape& loaded = layout_.table(table).keys;
  for_each_touched(table, partition, [&](const RecordName& name, std::uint64_t entry) {
    const RecordImage image = live(name, entry);
    const bool given_up = image.lock() == kGivenUp || name.key == kNoKey;
    // A key that was loaded here, and is nowhere now.
    if (entry < loaded.count() && (given_up || name.key != loaded.key_of(entry)) &&
        !keys.find(loaded.key_of(entry))) {
      visitor(loaded.key_of(entry), false, {});
    }
    if (given_up) return;
    if (deleted(image.version())) return visitor(name.key, false, {});
    format.extract(image, payload.data());
    visitor(name.key, true, payload);
  });
}

void Node::scan(const KeyRange& range, const KeyVisitor& visitor) {
  constexpr std::size_t kBatch = 64;
  std::array<ListedKey, kBatch> listed;
  KeyIndex& keys = index(range.partition, range.table);
  KeyIndex::Stop stop{.reached = 0, .more = true};
  std::uint32_t probes = 0;
  for (KeyRange rest = range; stop.more && rest.first <= rest.last;) {
    const std::size_t found =
        keys.list({.first = rest.first,
                   .last = rest.last,
                   .descending = rest.descending,
                   .inserted_only = false},
                  kBatch, listed, stop, probes,
                  [](const ListedKey& key) { return deleted(key.version); }, {}, {});
    for (const ListedKey& key : std::span(listed).first(found)) {
      if (!visitor(key.key)) return;
    }
    if (stop.reached == (rest.descending ? rest.first : rest.last)) return;
    (rest.descending ? rest.last : rest.first) =
        rest.descending ? stop.reached - 1 : stop.reached + 1;
  }
}

// Loaded records of which there are many are counted, but for those that have been looked at.
std::uint64_t Node::count(const KeyRange& range) {
  const KeyShape& loaded = layout_.table(range.table).keys;
  KeyIndex& keys = index(range.partition, range.table);
  const std::uint64_t from = loaded.rank(range.first);
  const std::uint64_t until = std::max(from, loaded.rank_after(range.last));
  std::uint64_t count = until - from;
  for_each_touched(range.table, range.partition, from, until,
                   [&](const RecordName&, std::uint64_t entry) {
                     const bool here = keys.holds(entry, loaded.key_of(entry));
                     if (!here || deleted(keys.version(entry))) --count;
                   });
  OrderedIndex::Query query{
      .first = range.first, .last = range.last, .descending = false, .inserted_only = true};
  std::array<OrderedIndex::Item, 64> items;
  std::uint32_t nodes = 0;
  while (query.first <= query.last) {
    const std::size_t found = keys.ordered().list(query, items, nodes);
    for (const OrderedIndex::Item& item : std::span(items).first(found)) {
      // One that was loaded and came again where it had been has been counted.
      const bool counted = loaded.index_of(item.key) == item.entry;
      if (!counted && !deleted(keys.version(item.entry))) ++count;
    }
    if (found < items.size() || items[found - 1].key == query.last) break;
    query.first = items[found - 1].key + 1;
  }
  return count;
}

SelfCheck Node::self_check() {
  SelfCheck check;
  if (records_ == nullptr) return check;
  for (const PartitionId partition : deployment_.view.primaries(endpoint_.node())) {
    check.copies.push_back({.partition = partition, .primary = true, .digest = 0});
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      for_each_touched(
          static_cast<TableId>(t), partition,
          [&](const RecordName& name, std::uint64_t entry) { check_record(name, entry, check); });
    }
  }
  if (journals_) tell_commits(check);
  return check;
}

// Tells each slot's last commit that a record here is of, and that each journal here ends with.
void Node::tell_commits(SelfCheck& check) {
  std::vector<std::uint32_t> newest(layout_.slots());
  for (const PartitionId partition : deployment_.view.primaries(endpoint_.node())) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      for_each_touched(static_cast<TableId>(t), partition,
                       [&](const RecordName& name, std::uint64_t entry) {
                         const Stamp stamp = stamp_of(live(name, entry).version());
                         if (stamp.slot >= newest.size()) return;
                         newest[stamp.slot] = std::max(newest[stamp.slot], stamp.count);
                       });
    }
  }
  for (std::uint32_t slot = 1; slot < newest.size(); ++slot) {
    if (newest[slot] > 0) check.commits.push_back({.slot = slot, .count = newest[slot]});
    for (std::uint32_t copy = 0; copy < journals_->copies(); ++copy) {
      const RemoteAddress ring = journals_->ring(slot, copy);
      if (ring.node != endpoint_.node()) continue;
      JournalHead head;
      std::memcpy(&head, rings_->at(ring.offset, sizeof head), sizeof head);
      if (head.bytes == 0) continue;
      check.commits.push_back({.slot = slot, .count = head.stamp.count, .last = true});
    }
  }
}

void Node::check_record(const RecordName& name, std::uint64_t entry, SelfCheck& check) {
  ++check.records;
  const RecordImage image = live(name, entry);
  const ImageFormat& format = layout_.table(name.table).format;
  KeyIndex& keys = index(name.partition, name.table);
  const bool listed = layout_.table(name.table).ordered && keys.ordered().find(name.key) == entry;
  if (image.lock() == kGivenUp) {
    if (!deleted(image.version())) report(check, name, "is there, and its entry was given up");
    if (keys.find(name.key) == entry || listed) report(check, name, "is still in its index");
    return;
  }
  if (name.key == kNoKey) {
    // Allocated, and not claimed.
    if (image.version() != kNeverThere) report(check, name, "is there, and was never claimed");
    return;
  }
  if (locked(image.lock())) {
    report(check, name, "is locked");
  } else if (image.lock() != image.version()) {
    report(check, name, "has a lock word that is not its version");
  }
  if (!format.whole(image)) report(check, name, "has lines of different versions");
  check.copies.back().digest +=
      mix64(mix64(name.key ^ image.version()) ^ digest_of({image.bytes(), format.bytes()}));
  if (keys.find(name.key) != entry || listed != layout_.table(name.table).ordered) {
    report(check, name, "is not where indexes lead");
  }
  check_old_versions(name, entry, check);
}

// The last K versions before the current one, or as many as there were.
void Node::check_old_versions(const RecordName& name, std::uint64_t entry, SelfCheck& check) {
  const std::uint32_t kept = layout_.versions();
  const std::uint32_t installs = live(name, entry).installs();
  const ImageFormat& format = layout_.table(name.table).format;
  for (std::uint32_t slot = 0; slot < kept; ++slot) {
    const RemoteAddress at = layout_.headers(name, entry);
    const auto* header = reinterpret_cast<const OldHeader*>(
        records_->at(at.offset + slot * sizeof(OldHeader), sizeof(OldHeader)));
    if (header->installs == 0 && installs <= kept) continue;
    if (header->installs >= installs || header->installs + kept < installs ||
        header->installs % kept != slot) {
      report(check, name, "does not keep the versions before its current one");
      return;
    }
    if (deleted(header->version)) continue;
    const RecordImage old(records_->at(layout_.old(name, entry, slot).offset, format.bytes()));
    if (old.version() != without_moved(header->version) || !format.whole(old)) {
      report(check, name, "has an old version that is not what its header says");
    }
  }
  if (overflow_ && installs > kept + kFirstInstall && !overflow_->follows(name, entry)) {
    report(check, name, "has lost versions between its old ones and overflow");
  }
}

}  // namespace verbena::txn::nam
