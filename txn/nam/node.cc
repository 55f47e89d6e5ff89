// Regions, and looking at records that are at rest.
#include "txn/nam/node.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/worker.h"
#include "txn/nam/transaction.h"
#include "txn/nam/version.h"
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
    : endpoint_(endpoint), deployment_(deployment), layout_(deployment, shape), options_(options) {
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) workers_.emplace_back(info);
  const NodeId node = endpoint.node();
  if (deployment.view.role(node) == Role::kMemory) {
    records_ = &endpoint.add_region("records", layout_.records_bytes(node), layout_.loader(node));
  }
  if (node == layout_.oracle()) endpoint.add_region("vector", layout_.vector_bytes(), {});
}

// Addresses are computed from the node's own layout.
void Node::start() {
  for (std::uint32_t n = 0; n < endpoint_.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (!endpoint_.connected(peer) || deployment_.view.computes(peer)) continue;
    if (lays_out_alike(peer)) continue;
    throw ConfigurationError("node " + std::to_string(peer) +
                             " lays out its memory otherwise than node " +
                             std::to_string(endpoint_.node()) +
                             "; tables, coroutines and all of nam must be the same on all nodes");
  }
}

// Regions are numbered as they were added.
bool Node::lays_out_alike(NodeId peer) const {
  std::vector<std::uint64_t> expected;
  if (deployment_.view.role(peer) == Role::kMemory) {
    expected.push_back(layout_.records_bytes(peer));
  }
  if (peer == layout_.oracle()) expected.push_back(layout_.vector_bytes());
  for (std::size_t region = 0; region < expected.size(); ++region) {
    if (endpoint_.region_size(peer, static_cast<RegionId>(region)) != expected[region])
      return false;
  }
  return true;
}

std::unique_ptr<txn::Transaction> Node::transaction(WorkerId worker, std::uint16_t fiber) {
  return std::make_unique<NamTransaction>(endpoint_.worker(worker), fiber, layout_,
                                          deployment_.limits, options_.stable_snapshots,
                                          workers_[worker]);
}

RecordImage Node::live(const RecordName& name, std::uint64_t index) {
  const ImageFormat& format = layout_.table(name.table).format;
  return RecordImage(records_->at(layout_.current(name, index).offset, format.bytes()));
}

bool Node::get(const RecordName& name, std::span<std::byte> payload) {
  const auto index = layout_.schema()[name.table].initial_index(name.key);
  if (!index) return false;
  const RecordImage image = live(name, *index);
  if (deleted(image.version())) return false;
  layout_.table(name.table).format.extract(image, payload.data());
  return true;
}

// Those on pages that nobody has looked at are as they were loaded.
template <typename Visit>
void Node::for_each_touched(TableId table, PartitionId partition, Visit&& visit) {
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  const Layout::Table& layout = layout_.table(table);
  const TableDefinition& definition = layout_.schema()[table];
  const std::uint64_t stride = layout.format.stride();
  RecordName name{.table = table, .partition = partition, .key = 0};
  const std::uint64_t begin = layout_.current(name, 0).offset;
  const std::uint64_t end = begin + layout.records * stride;
  std::uint64_t index = 0;
  for (std::uint64_t page = records_->memory().next_filled(begin / kPage); page * kPage < end;
       page = records_->memory().next_filled(page + 1)) {
    const std::uint64_t until = std::min(end, (page + 1) * kPage) - begin;
    index = std::max(index, (std::max(begin, page * kPage) - begin) / stride);
    for (; index * stride < until; ++index) {
      name.key = definition.initial_key(index);
      visit(name, index);
    }
  }
}

void Node::visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) {
  const ImageFormat& format = layout_.table(table).format;
  std::vector<std::byte> payload(format.payload_bytes());
  for_each_touched(table, partition, [&](const RecordName& name, std::uint64_t index) {
    const RecordImage image = live(name, index);
    if (deleted(image.version())) return visitor(name.key, false, {});
    format.extract(image, payload.data());
    visitor(name.key, true, payload);
  });
}

SelfCheck Node::self_check() {
  SelfCheck check;
  if (records_ == nullptr) return check;
  for (const PartitionId partition : deployment_.view.primaries(endpoint_.node())) {
    check.copies.push_back({.partition = partition, .primary = true, .digest = 0});
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      for_each_touched(
          static_cast<TableId>(t), partition,
          [&](const RecordName& name, std::uint64_t index) { check_record(name, index, check); });
    }
  }
  return check;
}

void Node::check_record(const RecordName& name, std::uint64_t index, SelfCheck& check) {
  ++check.records;
  const RecordImage image = live(name, index);
  const ImageFormat& format = layout_.table(name.table).format;
  if (locked(image.lock())) {
    report(check, name, "is locked");
  } else if (image.lock() != image.version()) {
    report(check, name, "has a lock word that is not its version");
  }
  if (!format.whole(image)) report(check, name, "has lines of different versions");
  if (image.key() != name.key) report(check, name, "has another key");
  check.copies.back().digest +=
      mix64(mix64(name.key ^ image.version()) ^ digest_of({image.bytes(), format.bytes()}));
  check_old_versions(name, index, check);
}

// The last K versions before the current one, or as many as there were.
void Node::check_old_versions(const RecordName& name, std::uint64_t index, SelfCheck& check) {
  const std::uint32_t kept = layout_.versions();
  const std::uint32_t installs = live(name, index).installs();
  const ImageFormat& format = layout_.table(name.table).format;
  for (std::uint32_t slot = 0; slot < kept; ++slot) {
    const RemoteAddress at = layout_.headers(name, index);
    const auto* header = reinterpret_cast<const OldHeader*>(
        records_->at(at.offset + slot * sizeof(OldHeader), sizeof(OldHeader)));
    if (header->installs == 0 && installs <= kept) continue;
    if (header->installs >= installs || header->installs + kept < installs ||
        header->installs % kept != slot) {
      report(check, name, "does not keep the versions before its current one");
      return;
    }
    const RecordImage old(records_->at(layout_.old(name, index, slot).offset, format.bytes()));
    if (old.version() != header->version || !format.whole(old)) {
      report(check, name, "has an old version that is not what its header says");
    }
  }
}

}  // namespace verbena::txn::nam
