// Writing the files as memory servers do.
#include "tests/txn/nam/saved_cluster.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/txn/nam/one_server.h"
#include "txn/nam/durability/saved_file.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::testing {

using namespace txn::nam;
using txn::RecordName;
using txn::Role;
using txn::View;

namespace {

constexpr std::uint32_t kRingBytes = 1024;
constexpr std::uint32_t kHeld = 2;  // commits of slot 1 in checkpoints
constexpr std::uint32_t kSecondInstall = kFirstInstall + 1;

}  // namespace

txn::Deployment SavedCluster::deployment() {
  const View view({Role::kCompute, Role::kMemory, Role::kMemory, Role::kOracle},
                  {{static_cast<NodeId>(1)}, {static_cast<NodeId>(2)}});
  txn::Deployment all{.schema = {{.name = "fixed", .payload_bytes = 20, .initial_records = 10},
                                 {.name = "grows",
                                  .payload_bytes = 24,
                                  .initial_records = 5,
                                  .insert_capacity = 6,
                                  .key_levels = {{.count = 5, .shift = 3}},
                                  .ordered = true},
                                 {.name = "long", .payload_bytes = 200, .initial_records = 4}},
                      .limits = {},
                      .view = view,
                      .fibers = 2};
  all.limits = txn::TransactionLimits::any_of(all.schema, 4);
  return all;
}

SavedCluster::Server::Server(const Layout& layout, const JournalLayout& journal_layout, NodeId node)
    : records(static_cast<RegionId>(0), "records", layout.records_bytes(node), layout.loader(node)),
      journals(static_cast<RegionId>(1), "journals", journal_layout.region_bytes(), {}) {
  for (const txn::PartitionId partition : layout.view().primaries(node)) {
    for (std::size_t t = 0; t < layout.schema().size(); ++t) {
      indexes.emplace_back(layout, partition, static_cast<txn::TableId>(t), records.memory(),
                           kMillisecond, nullptr);
    }
  }
}

// Finds the indexes of one partition.
IndexOf SavedCluster::index_of(Server& server) {
  return [&server](txn::PartitionId /*partition*/, txn::TableId table) -> KeyIndex& {
    return server.indexes[table];
  };
}

SavedCluster::SavedCluster(std::string directory)
    : directory_(std::move(directory)),
      deployment_(deployment()),
      layout_(deployment_, {.clients = 1}),
      journals_(layout_, 2, kRingBytes, true) {
  for (std::uint32_t p = 0; p < layout_.view().partitions(); ++p) {
    const auto partition = static_cast<txn::PartitionId>(p);
    const NodeId node = layout_.view().primary(partition);
    Server& server = servers_.try_emplace(node, layout_, journals_, node).first->second;
    write_record(server, {.table = kFixed, .partition = partition, .key = 2}, 2, 1);
    write_record(server, {.table = kLong, .partition = partition, .key = 1}, 1, kHeld);
    LoneCore core;
    const RecordName inserted{.table = kGrows, .partition = partition, .key = kInserted};
    const Claim claim = server.indexes[kGrows].claim(inserted.key, kAnyEntry, 0, core);
    write_record(server, inserted, claim.entry, kHeld);
  }
  updated_ = {.key = 1,
              .entry = 1,
              .replaced = version_of({.slot = 1, .count = kHeld}, false),
              .installs = kSecondInstall,
              .partition = 0,
              .table = kLong};
  write_journal(1, updated_);
  write_journal(2, {.key = 4,
                    .entry = 6,
                    .replaced = kNeverThere,
                    .installs = kFirstInstall,
                    .partition = 1,
                    .table = kGrows});
  write_files();
}

void SavedCluster::write_files() {
  const NodeOptions options{.checkpoints = directory_};
  std::vector<std::uint32_t> counts(layout_.vector().slots());
  counts[1] = kHeld;
  for (auto& [node, server] : servers_) {
    Checkpoints checkpoints(layout_, journals_, options, node, server.records, server.journals,
                            index_of(server));
    checkpoints.begin(counts);
    checkpoints.save_journals();
  }
}

void SavedCluster::write_record(Server& server, const RecordName& name, std::uint64_t entry,
                                std::uint32_t count) const {
  const ImageFormat& format = layout_.table(name.table).format;
  const std::vector<std::byte> payload(format.payload_bytes(), std::byte{7});
  format.compose(
      RecordImage(server.records.at(layout_.current(name, entry).offset, format.bytes())),
      version_of({.slot = 1, .count = count}, false), kSecondInstall, name.key, payload.data());
}

std::vector<std::byte> SavedCluster::compose(std::uint32_t slot,
                                             const JournalRecord& record) const {
  std::vector<std::byte> memory(kRingBytes);
  std::vector<std::uint32_t> snapshot(layout_.vector().slots());
  snapshot[1] = kHeld;
  JournalEntryWriter writer(memory, {.stamp = {.slot = slot, .count = snapshot[slot] + 1}},
                            snapshot, {});
  const std::vector<std::byte> payload(layout_.schema()[record.table].payload_bytes, std::byte{9});
  writer.add(record, payload);
  const auto entry = writer.finish();
  return {entry.begin(), entry.end()};
}

void SavedCluster::write_journal(std::uint32_t slot, const JournalRecord& record) {
  const std::vector<std::byte> entry = compose(slot, record);
  if (slot == 1) entry_ = entry;
  write_entry(slot, entry);
}

void SavedCluster::write_entry(std::uint32_t slot, std::span<const std::byte> entry) {
  const JournalHead head{.at = JournalLayout::kHeadBytes,
                         .bytes = static_cast<std::uint32_t>(entry.size()),
                         .stamp = {.slot = slot, .count = slot == 1 ? kHeld + 1 : 1}};
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    const RemoteAddress ring = journals_.ring(slot, copy);
    std::byte* at = servers_.at(ring.node).journals.at(ring.offset, kRingBytes);
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + head.at, entry.data(), entry.size());
  }
}

void SavedCluster::replace_journal(const JournalRecord& record) {
  write_journal(1, record);
  write_files();
}

void SavedCluster::replace_entry(std::span<const std::byte> entry) {
  constexpr std::size_t kFrame = sizeof(JournalHeader) + sizeof(std::uint64_t);
  std::vector<std::byte> whole(entry.begin(), entry.end());
  whole.resize(std::clamp<std::size_t>(whole.size() / 8 * 8, kFrame,
                                       kRingBytes - JournalLayout::kHeadBytes));
  const auto bytes = static_cast<std::uint32_t>(whole.size());
  std::memcpy(whole.data(), &bytes, sizeof bytes);
  const std::span covered = std::span(whole).first(bytes - sizeof(std::uint64_t));
  const std::uint64_t sum = journal_checksum(covered);
  std::memcpy(whole.data() + covered.size(), &sum, sizeof sum);
  write_entry(1, whole);
  for (auto& [node, server] : servers_) {
    replace(journals_file(node), {server.journals.at(0, journals_.rings_bytes()),
                                  static_cast<std::size_t>(journals_.rings_bytes())});
  }
}

void SavedCluster::restore() const {
  const RestoredState state(directory_, layout_, journals_);
  for (const NodeId node : journals_.servers()) {
    Server server(layout_, journals_, node);
    state.restore(node, server.records, index_of(server));
  }
}

std::vector<std::byte> SavedCluster::content(const std::string& file) const {
  return *load_file(directory_, file, layout_digest(layout_));
}

void SavedCluster::replace(const std::string& file, std::span<const std::byte> content) const {
  save_file(directory_, file, layout_digest(layout_), content);
}

}  // namespace verbena::testing
