// Reading checkpoints and journals, and replaying these.
#include "txn/nam/durability/restored_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rdma/base/errors.h"
#include "txn/nam/durability/saved_file.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/records/touched_entries.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

std::uint64_t table_number(const Layout& layout, const RecordName& name) {
  return std::uint64_t{name.partition} * layout.schema().size() + name.table;
}

std::string commit_text(const Stamp& stamp) {
  return "commit " + std::to_string(stamp.count) + " of slot " + std::to_string(stamp.slot);
}

}  // namespace

RestoredState::RestoredState(const std::string& directory, const Layout& layout,
                             const JournalLayout& journals)
    : layout_(layout),
      journals_(journals),
      directory_(directory),
      counts_(layout.vector().slots()) {
  for (const NodeId server : journals.servers()) {
    const auto& added = checkpoints_.try_emplace(server, directory, layout, server).first->second;
    for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
      counts_[slot] = std::max(counts_[slot], added.counts()[slot]);
    }
    auto saved = load_file(directory, journals_file(server), layout_digest(layout));
    if (!saved) continue;
    if (saved->size() != journals.rings_bytes()) {
      throw ConfigurationError(directory + "/" + journals_file(server) +
                               ": has rings of another nam.journal_bytes or nam.journals");
    }
    rings_.emplace(server, *std::move(saved));
  }
  if (rings_.empty()) {
    check_complete();
  } else {
    for (std::uint32_t slot = 1; slot < layout.vector().slots(); ++slot) read_journal(slot);
    if (!changes_.empty()) check_counted();
  }
  check_versions();
  for (auto& [place, changes] : changes_) {
    std::ranges::sort(changes, {}, [](const Change& one) { return one.record.installs; });
  }
}

// Where no server was lost, each of the last checkpoints holds all that was committed.
void RestoredState::check_complete() const {
  for (const auto& [server, checkpoint] : checkpoints_) {
    if (std::ranges::equal(checkpoint.counts(), counts_)) continue;
    throw ConfigurationError(
        directory_ + "/" + checkpoint_file(server) +
        ": holds less than another server's checkpoint; allowed is that of the "
        "same run's end, or with it the journals of all servers");
  }
}

// Numbers that were drawn after a checkpoint are in the journals' orders, and nowhere else.
void RestoredState::check_counted() const {
  for (const TableDefinition& table : layout_.schema()) {
    if (!table.drawn()) continue;
    throw ConfigurationError(directory_ + ": has journals, which do not tell how far table '" +
                             table.name + "' has counted (" + table.drawn_by +
                             "); allowed are checkpoints of a run's end");
  }
}

// A checkpoint has them before the vector does, while they are being installed.
void RestoredState::check_versions() const {
  for (const auto& [server, checkpoint] : checkpoints_) {
    for (const Checkpoint::Entry& one : checkpoint.entries()) {
      std::uint64_t version;
      std::memcpy(&version, one.image.data() + kVersionOffset, sizeof version);
      const Stamp stamp = stamp_of(version);
      if (stamp.slot < counts_.size() && stamp.count <= counts_[stamp.slot]) continue;
      throw ConfigurationError(directory_ + "/" + checkpoint_file(server) + ": has a record of " +
                               commit_text(stamp) + ", of which no journal tells");
    }
  }
}

// A copy may end in an entry that another does not have yet.
void RestoredState::read_journal(std::uint32_t slot) {
  Stamp held{.slot = slot, .count = UINT32_MAX};  // by all checkpoints
  for (const auto& [server, checkpoint] : checkpoints_) {
    held.count = std::min(held.count, checkpoint.counts()[slot]);
  }
  Entries entries;
  bool found = false;
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    const RemoteAddress ring = journals_.ring(slot, copy);
    const auto rings = rings_.find(ring.node);
    if (rings == rings_.end()) continue;
    found = true;
    const auto bytes = std::span(rings->second).subspan(ring.offset, journals_.ring_bytes());
    counts_[slot] = std::max(counts_[slot], read_ring(bytes, held, entries));
  }
  if (!found) {
    throw ConfigurationError(directory_ + ": of the journal of slot " + std::to_string(slot) +
                             " no copy was saved");
  }
  Stamp next = held;
  for (const auto& [count, entry] : entries) {
    if (count != ++next.count) break;
    add_changes(entry);
  }
  if (entries.size() != counts_[slot] - held.count) {
    throw ConfigurationError(directory_ + ": has " + commit_text(next) +
                             " neither in a journal nor in all checkpoints");
  }
}

std::optional<JournalEntry> RestoredState::parse(std::span<const std::byte> memory,
                                                 std::uint32_t slot) const {
  try {
    return JournalEntry::parse(memory, layout_);
  } catch (const Malformed& wrong) {
    throw ConfigurationError(directory_ + ": an entry of the journal of slot " +
                             std::to_string(slot) + " " + wrong.what());
  }
}

// From the newest entry back, until one is overwritten, or all checkpoints hold it. What the head
// does not tell of yet is not there: recoveries do not see it either. Returns the last commit that
// the ring tells of.
std::uint32_t RestoredState::read_ring(std::span<const std::byte> ring, const Stamp& held,
                                       Entries& entries) {
  JournalHead head;
  std::memcpy(&head, ring.data(), sizeof head);
  if (head.bytes == 0) return 0;
  std::uint64_t below = std::uint64_t{head.stamp.count} + 1;
  for (std::uint32_t at = head.at; at != 0 && at < ring.size();) {
    auto entry = parse(ring.subspan(at), held.slot);
    if (!entry) break;
    const auto [stamp, before] = std::pair(entry->header().stamp, entry->header().before);
    if (stamp.slot != held.slot || stamp.count >= below || stamp.count <= held.count) break;
    below = stamp.count;
    at = before;
    entries.try_emplace(stamp.count, *std::move(entry));
  }
  return head.stamp.count;
}

void RestoredState::add_changes(const JournalEntry& entry) {
  const Stamp& stamp = entry.header().stamp;
  for (const JournalEntry::Record& one : entry.records()) {
    const RecordName name = one.record.name();
    const Checkpoint& checkpoint = checkpoints_.at(layout_.view().primary(name.partition));
    if (stamp.count <= checkpoint.counts()[stamp.slot]) continue;
    changes_[{table_number(layout_, name), one.record.entry}].push_back(
        {.record = one.record, .stamp = stamp, .payload = one.payload});
  }
}

RestoredState::ChangesOf RestoredState::changes_of(const RecordName& name) const {
  const std::uint64_t number = table_number(layout_, name);
  return {changes_.lower_bound({number, 0}), changes_.lower_bound({number + 1, 0})};
}

std::uint64_t RestoredState::used_entries(const RecordName& name) const {
  const Checkpoint& checkpoint = checkpoints_.at(layout_.view().primary(name.partition));
  const std::uint64_t used = checkpoint.used_entries(name.partition, name.table);
  const auto [from, until] = changes_of(name);
  return from == until ? used : std::max(used, std::prev(until)->first.second + 1);
}

void RestoredState::restore(NodeId server, rdma::Region& records, const IndexOf& index_of) const {
  const Checkpoint& checkpoint = checkpoints_.at(server);
  for (const PartitionId partition : layout_.view().primaries(server)) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      const RecordName name{.table = static_cast<TableId>(t), .partition = partition, .key = 0};
      restore_table(checkpoint, name, records, index_of(partition, name.table));
    }
  }
}

void RestoredState::restore_table(const Checkpoint& checkpoint, const RecordName& name,
                                  rdma::Region& records, KeyIndex& index) const {
  const ImageFormat& format = layout_.table(name.table).format;
  const std::vector<std::byte> nothing(format.payload_bytes());
  const std::uint64_t loaded = layout_.table(name.table).keys.count();
  const auto live = [&](std::uint64_t entry) {
    return RecordImage(records.at(layout_.current(name, entry).offset, format.bytes()));
  };
  const std::uint64_t used = used_entries(name);
  // Entries whose keys were never there, or are forgotten, are anybody's.
  for (std::uint64_t entry = loaded; entry < used; ++entry) {
    format.compose(live(entry), kNeverThere, kFirstInstall, txn::kNoKey, nothing.data());
  }
  for (const Checkpoint::Entry& one : checkpoint.entries()) {
    if (one.name.table != name.table || one.name.partition != name.partition) continue;
    std::memcpy(live(one.entry).bytes(), one.image.data(), one.image.size());
    if (live(one.entry).lock() != kGivenUp) live(one.entry).unlock();
  }
  const auto [from, until] = changes_of(name);
  for (auto at = from; at != until; ++at) {
    for (const Change& change : at->second) replay(change, records);
  }
  // Without old versions records begin to count anew.
  for_each_touched(layout_, records.memory(), name, 0, used, [&](std::uint64_t entry) {
    std::memcpy(live(entry).bytes() + kInstallsOffset, &kFirstInstall, sizeof kFirstInstall);
  });
  try {
    index.restore(used);
  } catch (const Malformed& wrong) {
    throw ConfigurationError(directory_ + ": what was saved of partition " +
                             std::to_string(name.partition) + " " + wrong.what());
  }
}

void RestoredState::replay(const Change& change, rdma::Region& records) const {
  const RecordName name = change.record.name();
  const ImageFormat& format = layout_.table(name.table).format;
  const RecordImage live(
      records.at(layout_.current(name, change.record.entry).offset, format.bytes()));
  const bool same_key = live.key() == name.key && live.lock() != kGivenUp;
  if (same_key && live.installs() > change.record.installs) return;
  const bool follows = change.record.replaced == kNeverThere
                           ? live.lock() == kGivenUp || live.version() == kNeverThere
                           : same_key && live.version() == change.record.replaced;
  if (!follows) {
    throw ConfigurationError(directory_ + ": the journal of slot " +
                             std::to_string(change.stamp.slot) + " does not follow " +
                             checkpoint_file(layout_.view().primary(name.partition)));
  }
  std::vector<std::byte> payload(format.payload_bytes());
  std::ranges::copy(change.payload, payload.begin());
  format.compose(live, version_of(change.stamp, change.record.erased), change.record.installs + 1,
                 name.key, payload.data());
}

}  // namespace verbena::txn::nam
