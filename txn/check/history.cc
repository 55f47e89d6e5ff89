// The direct serialization graph of a history and the search for a cycle in it.
#include "txn/check/history.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "txn/store/record.h"

namespace verbena::txn {
namespace {

// What has versions: a record in an entry.
struct Subject {
  RecordName name;
  std::uint32_t entry;

  auto operator<=>(const Subject&) const = default;
};

// A version of a record, and a transaction that has to do with it.
struct VersionUse {
  Subject record;
  std::uint64_t version;
  std::uint32_t transaction;
  bool read_absent = false;

  auto operator<=>(const VersionUse&) const = default;
};

std::string describe(const Subject& subject, std::uint64_t version) {
  const RecordName& record = subject.name;
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
    nodes_ = committed_.size();
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
    if (const auto blocked = blocked_by_cycle()) {
      return "the serialization graph has a cycle that involves " + names_of(*blocked);
    }
    return std::nullopt;
  }

  /// After violation() has found nothing.
  std::optional<std::string> time_violation() {
    for (const auto& [from, to] : edges_) {
      if (entry(to).end < entry(from).begin) {
        return describe(entry(from)) + " began after " + describe(entry(to)) +
               " had ended, but comes before it by what they read and wrote";
      }
    }
    add_time_edges();
    if (const auto blocked = blocked_by_cycle()) {
      return "no serial order agrees with the times: a cycle involves " + names_of(*blocked);
    }
    return std::nullopt;
  }

 private:
  // Transactions on or behind cycles.
  struct Blocked {
    std::size_t count;
    std::uint32_t first;
  };

  const HistoryEntry& entry(std::uint32_t transaction) const {
    return history_.entries()[committed_[transaction]];
  }

  std::string names_of(const Blocked& blocked) const {
    return std::to_string(blocked.count) + " transactions, among them " +
           describe(entry(blocked.first));
  }

  void collect() {
    for (std::size_t i = 0; i < history_.entries().size(); ++i) {
      const HistoryEntry& entry = history_.entries()[i];
      if (!entry.committed) continue;
      const auto transaction = static_cast<std::uint32_t>(committed_.size());
      committed_.push_back(i);
      for (const HistoryAccess& access : history_.accesses(entry)) {
        const Subject record{access.record, access.entry};
        reads_.push_back({record, access.read_version, transaction, access.read_absent});
        if (access.written_version != 0) {
          writes_.push_back({record, access.written_version, transaction});
        }
      }
    }
  }

  // The writer of the least version of `record` that is at least `version`.
  std::vector<VersionUse>::const_iterator writer_from(const Subject& record,
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
      } else if (read.version > kInitialVersion && !read.read_absent) {
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

  // "Ended before the other began" has as many pairs as there are pairs of transactions. So a chain
  // of further nodes stands for time: node k comes after the k + 1 transactions that ended first,
  // and before all that began after these.
  void add_time_edges() {
    const auto transactions = static_cast<std::uint32_t>(committed_.size());
    std::vector<std::uint32_t> by_end(transactions);
    std::iota(by_end.begin(), by_end.end(), 0U);
    const auto end_of = [this](std::uint32_t t) { return entry(t).end; };
    std::ranges::stable_sort(by_end, {}, end_of);
    for (std::uint32_t k = 0; k < transactions; ++k) {
      edges_.emplace_back(by_end[k], transactions + k);
      if (k > 0) edges_.emplace_back(transactions + k - 1, transactions + k);
    }
    for (std::uint32_t t = 0; t < transactions; ++t) {
      const auto ended = static_cast<std::uint32_t>(
          std::ranges::lower_bound(by_end, entry(t).begin, {}, end_of) - by_end.begin());
      if (ended > 0) edges_.emplace_back(transactions + ended - 1, t);
    }
    nodes_ = 2 * transactions;
    std::sort(edges_.begin(), edges_.end());
  }

  // Kahn's algorithm: what cannot be ordered lies on or behind a cycle.
  std::optional<Blocked> blocked_by_cycle() const {
    std::vector<std::uint32_t> incoming(nodes_, 0);
    for (const auto& [from, to] : edges_) ++incoming[to];
    std::vector<std::uint32_t> ready;
    for (std::uint32_t t = 0; t < incoming.size(); ++t) {
      if (incoming[t] == 0) ready.push_back(t);
    }
    while (!ready.empty()) {
      const std::uint32_t from = ready.back();
      ready.pop_back();
      auto edge = std::lower_bound(edges_.begin(), edges_.end(), std::pair(from, std::uint32_t{0}));
      for (; edge != edges_.end() && edge->first == from; ++edge) {
        if (--incoming[edge->second] == 0) ready.push_back(edge->second);
      }
    }
    const auto end = incoming.begin() + static_cast<std::ptrdiff_t>(committed_.size());
    const auto is_blocked = [](std::uint32_t count) { return count > 0; };
    const auto first = std::find_if(incoming.begin(), end, is_blocked);
    if (first == end) return std::nullopt;
    return Blocked{static_cast<std::size_t>(std::count_if(first, end, is_blocked)),
                   static_cast<std::uint32_t>(first - incoming.begin())};
  }

  const History& history_;
  std::vector<std::size_t> committed_;
  std::vector<VersionUse> reads_;
  std::vector<VersionUse> writes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::size_t nodes_ = 0;  // of the graph: transactions, then those of the chain
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

std::optional<std::string> strict_serializability_violation(const History& history) {
  SerializationGraph graph(history);
  auto violation = graph.violation();
  return violation ? violation : graph.time_violation();
}

}  // namespace verbena::txn
