// The direct serialization graph of a history, and what contradicts itself in it.
#include "tests/version_check/violation.h"

#include <algorithm>
#include <compare>

#include "txn/check/anomalies/precedence_graph.h"
#include "txn/store/record.h"

namespace verbena::txn {
namespace {

// The subject of versions: a record in an entry.
struct Subject {
  RecordName name;
  std::uint32_t entry;

  auto operator<=>(const Subject&) const = default;
};

Subject subject_of(const HistoryAccess& access) { return {access.record, access.entry}; }

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
  }

  std::optional<Violation> violation() {
    if (auto twice = written_twice()) return twice;
    if (auto nowhere = add_edges()) return nowhere;
    const std::vector<std::uint32_t> cycle = graph_of({}).shortest_cycle();
    if (cycle.empty()) return std::nullopt;
    return violation_of(
        "the serialization graph has a cycle of " + std::to_string(cycle.size()) + " transactions",
        cycle);
  }

  /// After violation() has found nothing.
  std::optional<Violation> time_violation() const {
    std::vector<Interval> intervals;
    for (std::uint32_t t = 0; t < committed_.size(); ++t) {
      intervals.push_back({entry(t).begin.count(), entry(t).end.count()});
    }
    const std::vector<std::uint32_t> cycle = graph_of(std::move(intervals)).shortest_cycle();
    if (cycle.empty()) return std::nullopt;
    if (cycle.size() > 2) {
      return violation_of("no serial order agrees with the times: there is a cycle of " +
                              std::to_string(cycle.size()) + " transactions",
                          cycle);
    }
    const bool first_is_later = entry(cycle[1]).end < entry(cycle[0]).begin;
    const std::uint32_t later = cycle[first_is_later ? 0 : 1];
    const std::uint32_t earlier = cycle[first_is_later ? 1 : 0];
    return violation_of(describe(entry(later)) + " began after " + describe(entry(earlier)) +
                            " had ended, but comes before it by what they read and wrote",
                        {later, earlier});
  }

 private:
  const HistoryEntry& entry(std::uint32_t transaction) const {
    return history_.entries()[committed_[transaction]];
  }
  std::span<const HistoryAccess> accesses(std::uint32_t transaction) const {
    return history_.accesses(entry(transaction));
  }

  void collect() {
    for (std::size_t i = 0; i < history_.entries().size(); ++i) {
      const HistoryEntry& entry = history_.entries()[i];
      if (!entry.committed) continue;
      const auto transaction = static_cast<std::uint32_t>(committed_.size());
      committed_.push_back(i);
      for (const HistoryAccess& access : history_.accesses(entry)) {
        const Subject record = subject_of(access);
        reads_.push_back({record, access.read_version, transaction, access.read_absent});
        if (access.written_version != 0) {
          writes_.push_back({record, access.written_version, transaction});
        }
      }
    }
  }

  std::optional<Violation> written_twice() const {
    for (std::size_t i = 1; i < writes_.size(); ++i) {
      const VersionUse& a = writes_[i - 1];
      const VersionUse& b = writes_[i];
      if (a.record != b.record || a.version != b.version) continue;
      return violation_of(describe(a.record, a.version) + " was written twice: by " +
                              describe(entry(a.transaction)) + " and " +
                              describe(entry(b.transaction)),
                          {a.transaction, b.transaction});
    }
    return std::nullopt;
  }

  // The writer of the least version of `record` that is at least `version`.
  std::vector<VersionUse>::const_iterator writer_from(const Subject& record,
                                                      std::uint64_t version) const {
    return std::lower_bound(writes_.begin(), writes_.end(), VersionUse{record, version, 0});
  }

  std::optional<Violation> add_edges() {
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
        return read_from_nowhere(read);
      }
      if (writer != writes_.end() && writer->record == read.record) {
        edges_.emplace_back(read.transaction, writer->transaction);
      }
    }
    return std::nullopt;
  }

  // With the attempt that wrote the version and was aborted, if there was one.
  Violation read_from_nowhere(const VersionUse& read) const {
    Violation violation = violation_of(describe(entry(read.transaction)) + " read " +
                                           describe(read.record, read.version) +
                                           ", which no committed transaction wrote",
                                       {read.transaction});
    for (const HistoryEntry& other : history_.entries()) {
      if (other.committed) continue;
      for (const HistoryAccess& access : history_.accesses(other)) {
        if (subject_of(access) != read.record || access.written_version != read.version) continue;
        violation.transactions.push_back(with_accesses(other));
        violation.edges.push_back({.from = 1,
                                   .to = 0,
                                   .why = Dependency::kWriteRead,
                                   .record = read.record.name,
                                   .from_version = read.version,
                                   .to_version = read.version});
        return violation;
      }
    }
    return violation;
  }

  PrecedenceGraph graph_of(std::vector<Interval> intervals) const {
    return {static_cast<std::uint32_t>(committed_.size()), edges_, std::move(intervals)};
  }

  // The violation by transactions each of which comes before the next, and the last before the
  // first.
  Violation violation_of(std::string what, const std::vector<std::uint32_t>& cycle) const {
    Violation violation{.what = std::move(what), .transactions = {}, .edges = {}};
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      violation.transactions.push_back(with_accesses(entry(cycle[i])));
      const std::size_t next = (i + 1) % cycle.size();
      if (next == i) break;
      if (auto edge = edge_between(cycle[i], cycle[next])) {
        edge->from = i;
        edge->to = next;
        violation.edges.push_back(*edge);
      }
    }
    return violation;
  }

  ViolatingTransaction with_accesses(const HistoryEntry& entry) const {
    const auto accesses = history_.accesses(entry);
    return {.entry = entry, .accesses = {accesses.begin(), accesses.end()}};
  }

  // Why `a` comes before `b`; by records rather than by time.
  std::optional<ViolationEdge> edge_between(std::uint32_t a, std::uint32_t b) const {
    for (const Dependency why :
         {Dependency::kWriteRead, Dependency::kWriteWrite, Dependency::kReadWrite}) {
      for (const HistoryAccess& x : accesses(a)) {
        for (const HistoryAccess& y : accesses(b)) {
          if (subject_of(x) != subject_of(y) || !precedes(x, y, why)) continue;
          return ViolationEdge{
              .why = why,
              .record = x.record,
              .from_version = why == Dependency::kReadWrite ? x.read_version : x.written_version,
              .to_version = why == Dependency::kWriteRead ? y.read_version : y.written_version};
        }
      }
    }
    if (entry(a).end < entry(b).begin) return ViolationEdge{.why = Dependency::kRealTime};
    return std::nullopt;
  }

  bool precedes(const HistoryAccess& x, const HistoryAccess& y, Dependency why) const {
    if (why == Dependency::kWriteRead) {
      return x.written_version != 0 && x.written_version == y.read_version;
    }
    if (y.written_version == 0) return false;
    if (why == Dependency::kWriteWrite && x.written_version == 0) return false;
    const std::uint64_t version =
        why == Dependency::kWriteWrite ? x.written_version : x.read_version;
    const auto next = writer_from(subject_of(x), version + 1);
    return next != writes_.end() && next->record == subject_of(x) &&
           next->version == y.written_version;
  }

  const History& history_;
  std::vector<std::size_t> committed_;
  std::vector<VersionUse> reads_;
  std::vector<VersionUse> writes_;
  PrecedenceGraph::Edges edges_;
};

}  // namespace

const char* dependency_name(Dependency dependency) {
  switch (dependency) {
    case Dependency::kWriteWrite:
      return "ww";
    case Dependency::kWriteRead:
      return "wr";
    case Dependency::kReadWrite:
      return "rw";
    case Dependency::kRealTime:
      return "time";
  }
  return "";
}

std::optional<Violation> serializability_violation(const History& history) {
  return SerializationGraph(history).violation();
}

std::optional<Violation> strict_serializability_violation(const History& history) {
  SerializationGraph graph(history);
  auto violation = graph.violation();
  return violation ? std::move(violation) : graph.time_violation();
}

std::string violation_text(const std::optional<Violation>& violation) {
  return violation ? violation->what : "";
}

}  // namespace verbena::txn
