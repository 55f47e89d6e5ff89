// The direct serialization graph of a history and the search for a cycle in it.
#include "txn/history.h"

#include <algorithm>
#include <tuple>

#include "txn/record.h"

namespace verbena::txn {
namespace {

// A version of a record, and a transaction that has to do with it.
struct VersionUse {
  RecordName record;
  std::uint64_t version;
  std::uint32_t transaction;

  auto operator<=>(const VersionUse&) const = default;
};

std::string describe(const RecordName& record, std::uint64_t version) {
  return "table " + std::to_string(record.table) + " partition " +
         std::to_string(record.partition) + " key " + std::to_string(record.key) + " version " +
         std::to_string(version);
}

std::string describe(const HistoryEntry& entry) {
  return "transaction (node " + std::to_string(entry.owner.node) + ", worker " +
         std::to_string(entry.owner.worker) + ", fiber " + std::to_string(entry.owner.fiber) +
         ", number " + std::to_string(entry.sequence) + ")";
}

class SerializationGraph {
 public:
  explicit SerializationGraph(const History& history) : history_(history) {
    collect();
    std::sort(writes_.begin(), writes_.end());
    std::sort(reads_.begin(), reads_.end());
  }

  std::optional<std::string> violation() {
    for (std::size_t i = 1; i < writes_.size(); ++i) {
      const VersionUse& a = writes_[i - 1];
      const VersionUse& b = writes_[i];
      if (a.record == b.record && a.version == b.version) {
        return describe(a.record, a.version) + " was written twice: by " +
               describe(entry(a.transaction)) + " and " + describe(entry(b.transaction));
      }
    }
    if (auto wrong = add_edges()) return wrong;
    return cycle();
  }

 private:
  const HistoryEntry& entry(std::uint32_t transaction) const {
    return history_.entries()[committed_[transaction]];
  }

  void collect() {
    for (std::size_t i = 0; i < history_.entries().size(); ++i) {
      const HistoryEntry& entry = history_.entries()[i];
      if (!entry.committed) continue;
      const auto transaction = static_cast<std::uint32_t>(committed_.size());
      committed_.push_back(i);
      for (const HistoryAccess& access : history_.accesses(entry)) {
        reads_.push_back({access.record, access.read_version, transaction});
        if (access.written_version != 0) {
          writes_.push_back({access.record, access.written_version, transaction});
        }
      }
    }
  }

  // The writer of the least version of `record` that is at least `version`.
  std::vector<VersionUse>::const_iterator writer_from(const RecordName& record,
                                                      std::uint64_t version) const {
    return std::lower_bound(writes_.begin(), writes_.end(), VersionUse{record, version, 0});
  }

  std::optional<std::string> add_edges() {
    for (std::size_t i = 1; i < writes_.size(); ++i) {
      if (writes_[i - 1].record == writes_[i].record) {
        edges_.emplace_back(writes_[i - 1].transaction, writes_[i].transaction);
      }
    }
    for (const VersionUse& read : reads_) {
      auto writer = writer_from(read.record, read.version);
      const bool written = writer != writes_.end() && writer->record == read.record &&
                           writer->version == read.version;
      if (written) {
        edges_.emplace_back(writer->transaction, read.transaction);
        ++writer;
      } else if (read.version > kInitialVersion) {
        return describe(entry(read.transaction)) + " read " + describe(read.record, read.version) +
               ", which no committed transaction wrote";
      }
      if (writer != writes_.end() && writer->record == read.record) {
        edges_.emplace_back(read.transaction, writer->transaction);
      }
    }
    std::erase_if(edges_, [](const auto& edge) { return edge.first == edge.second; });
    std::sort(edges_.begin(), edges_.end());
    return std::nullopt;
  }

  // Kahn's algorithm: what cannot be ordered lies on or behind a cycle.
  std::optional<std::string> cycle() const {
    std::vector<std::uint32_t> incoming(committed_.size(), 0);
    for (const auto& [from, to] : edges_) ++incoming[to];
    std::vector<std::uint32_t> ready;
    for (std::uint32_t t = 0; t < incoming.size(); ++t) {
      if (incoming[t] == 0) ready.push_back(t);
    }
    std::size_t ordered = 0;
    while (!ready.empty()) {
      const std::uint32_t from = ready.back();
      ready.pop_back();
      ++ordered;
      auto edge = std::lower_bound(edges_.begin(), edges_.end(), std::pair(from, std::uint32_t{0}));
      for (; edge != edges_.end() && edge->first == from; ++edge) {
        if (--incoming[edge->second] == 0) ready.push_back(edge->second);
      }
    }
    if (ordered == committed_.size()) return std::nullopt;
    const auto blocked = std::find_if(incoming.begin(), incoming.end(),
                                      [](std::uint32_t count) { return count > 0; });
    const auto transaction = static_cast<std::uint32_t>(blocked - incoming.begin());
    return "the serialization graph has a cycle that involves " +
           std::to_string(committed_.size() - ordered) + " transactions, among them " +
           describe(entry(transaction));
  }

  const History& history_;
  std::vector<std::size_t> committed_;
  std::vector<VersionUse> reads_;
  std::vector<VersionUse> writes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace

void History::add(HistoryEntry entry, std::span<const HistoryAccess> accesses) {
  entry.first_access = accesses_.size();
  entry.accesses = static_cast<std::uint32_t>(accesses.size());
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  entries_.push_back(entry);
}

void History::append(const History& other) {
  for (const HistoryEntry& entry : other.entries_) add(entry, other.accesses(entry));
}

std::optional<std::string> serializability_violation(const History& history) {
  return SerializationGraph(history).violation();
}

}  // namespace verbena::txn
