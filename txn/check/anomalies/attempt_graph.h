// Precedence among attempts, by their reads and writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "txn/check/anomalies/anomaly.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/check/anomalies/scanned_keys.h"
#include "txn/client_history.h"

namespace verbena::txn {

/// The direct serialization graph (Adya) of attempts that committed or were rolled back by their
/// clients. The writer of a value is found by the value, or, where several wrote it, by the time.
/// The attempts that replaced a value are found by what they had read; so it is not known what an
/// attempt replaced without fetching it.
class AttemptGraph {
 public:
  using Node = std::uint32_t;

  struct Edge {
    Node from;
    Node to;
    Precedence why;
    RecordName record;
    ValueDigest value;
    bool scanned;
  };

  /// `scanned`: the records for which scans are checked.
  AttemptGraph(std::span<const ClientHistory* const> histories, const InitialValues& initial,
               std::span<const RecordName> scanned);

  /// Returns a shortest cycle of its edges and, with `in_time`, of time; empty when there is none.
  std::vector<Node> shortest_cycle(bool in_time) const;

  /// Returns why `from` comes before `to`: the strongest edge, or time.
  AnomalyEdge edge(Node from, Node to) const;

  AnomalousAttempt attempt(Node node) const;

 private:
  struct Member {
    const ClientHistory* history;
    const ClientAttempt* attempt;
  };
  /// A record as one attempt saw it.
  struct Use {
    RecordName record;
    Moment when;  // its attempt's place, or else its end
    Node node;
    bool reads;  // else it replaced a value that it did not fetch
    ValueDigest read;
    ValueDigest written;
    bool writes;
    bool scanned;
    Node producer;  // writer of the value that it read
  };

  void collect(const ClientHistory& history);
  void collect_left_out(Node node, std::span<const RecordName> records);
  void connect(std::span<Use> uses, const InitialValues& initial);
  void find_producers(std::span<Use> uses, const InitialValues& initial);
  void add(Node from, Node to, Precedence why, const Use& use, ValueDigest value);

  std::vector<Member> members_;
  std::vector<Use> uses_;
  std::vector<Edge> edges_;
};

}  // namespace verbena::txn
