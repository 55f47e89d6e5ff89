// Blame for a value that cannot be, and names for cycles.
#include "txn/check/anomaly_search.h"

#include <algorithm>
#include <optional>
#include <string>

#include "txn/check/attempt_graph.h"

namespace verbena::txn {
namespace {

struct Found {
  const ClientHistory* history = nullptr;
  const ClientAttempt* attempt = nullptr;
};

AnomalousAttempt whole(const Found& found) {
  const auto accesses = found.history->accesses(*found.attempt);
  return {.attempt = *found.attempt, .accesses = {accesses.begin(), accesses.end()}};
}

const ClientAccess* access_to(const Found& found, const RecordName& record) {
  for (const ClientAccess& access : found.history->accesses(*found.attempt)) {
    if (access.record == record) return &access;
  }
  return nullptr;
}

// The latest attempt that asked for `value` to be written, of those that committed or of the
// others.
Found writer_of(std::span<const ClientHistory* const> histories, const RecordName& record,
                ValueDigest value, bool committed) {
  Found writer;
  for (const ClientHistory* history : histories) {
    for (const ClientAttempt& attempt : history->attempts) {
      if ((attempt.outcome == Outcome::kCommitted) != committed) continue;
      const ClientAccess* access = access_to({history, &attempt}, record);
      if (access == nullptr || !access->writes || access->written != value) continue;
      if (writer.attempt == nullptr || writer.attempt->ended < attempt.ended) {
        writer = {history, &attempt};
      }
    }
  }
  return writer;
}

// Of a value that was read and that no committed attempt wrote.
std::optional<Anomaly> unwritten(std::span<const ClientHistory* const> histories,
                                 const InitialValues& initial, const Misread& misread) {
  const Found reader{misread.history, misread.attempt};
  const ClientAccess* access = access_to(reader, misread.record);
  if (access == nullptr || !access->fetched || access->read == initial.of(misread.record)) {
    return std::nullopt;
  }
  if (writer_of(histories, misread.record, access->read, true).attempt != nullptr) {
    return std::nullopt;
  }
  const std::string who = attempt_text(*reader.attempt);
  const std::string what = record_text(misread.record);
  const Found writer = writer_of(histories, misread.record, access->read, false);
  if (writer.attempt == nullptr) {
    if (access->read == kAbsentValue) return std::nullopt;
    return Anomaly{.name = "unwritten value",
                   .what = who + " read " + what + " with a value that nobody wrote",
                   .attempts = {whole(reader)},
                   .edges = {}};
  }
  return Anomaly{.name = "G1a",
                 .what = "aborted read: " + who + " read " + what + " as " +
                         attempt_text(*writer.attempt) + " wanted it, which did not commit",
                 .attempts = {whole(reader), whole(writer)},
                 .edges = {{.from = 1,
                            .to = 0,
                            .why = Precedence::kWriteRead,
                            .record = misread.record,
                            .value = access->read}}};
}

// Of a value that had been replaced before the first attempt that is remembered.
std::optional<Anomaly> replaced_long_ago(std::span<const ClientHistory* const> histories,
                                         const Misread& misread) {
  const Found reader{misread.history, misread.attempt};
  const ClientAccess* access = access_to(reader, misread.record);
  const ValueDigest value = access == nullptr ? kAbsentValue : access->read;
  for (const ClientHistory* history : histories) {
    for (const ClientAttempt& attempt : history->attempts) {
      if (attempt.outcome != Outcome::kCommitted) continue;
      const ClientAccess* other = access_to({history, &attempt}, misread.record);
      if (other == nullptr || !other->writes) continue;
      if (other->read == value || other->written == value) return std::nullopt;
    }
  }
  return Anomaly{.name = "stale read",
                 .what = attempt_text(*reader.attempt) + " saw " + record_text(misread.record) +
                         " as it was before attempts long ago",
                 .attempts = {whole(reader)},
                 .edges = {}};
}

struct Name {
  const char* name;
  const char* meaning;
};

Name name_of(const std::vector<AnomalyEdge>& edges) {
  const auto count = [&](Precedence why) {
    return std::ranges::count(edges, why, &AnomalyEdge::why);
  };
  const auto anti = count(Precedence::kReadWrite);
  const auto in_time = count(Precedence::kTime);
  const bool scanned = std::ranges::any_of(edges, &AnomalyEdge::scanned);
  if (anti == 0 && count(Precedence::kWriteRead) == 0) return {"G0", "writes in a circle"};
  if (anti == 0) return {"G1c", "information in a circle"};
  if (in_time > 0 && anti == 1) return {"stale read", "of what had been replaced before"};
  if (anti > 1) return {"G2", scanned ? "phantom" : "write skew"};
  const bool same = std::ranges::all_of(
      edges, [&](const AnomalyEdge& edge) { return edge.record == edges.front().record; });
  if (edges.size() == 2 && same) return {"G-single", "lost update"};
  return {"G-single", scanned ? "phantom" : "read skew"};
}

std::optional<Anomaly> cycle(std::span<const ClientHistory* const> histories,
                             const InitialValues& initial, bool in_time) {
  const AttemptGraph graph(histories, initial);
  const std::vector<AttemptGraph::Node> nodes = graph.shortest_cycle(in_time);
  if (nodes.empty()) return std::nullopt;
  Anomaly anomaly;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t next = (i + 1) % nodes.size();
    AnomalyEdge edge = graph.edge(nodes[i], nodes[next]);
    edge.from = i;
    edge.to = next;
    anomaly.edges.push_back(edge);
    anomaly.attempts.push_back(graph.attempt(nodes[i]));
  }
  const Name name = name_of(anomaly.edges);
  anomaly.name = name.name;
  anomaly.what =
      std::string(name.meaning) + ": a cycle of " + std::to_string(nodes.size()) + " transactions";
  return anomaly;
}

}  // namespace

std::optional<Anomaly> find_anomaly(std::span<const ClientHistory* const> histories,
                                    const InitialValues& initial, bool in_time,
                                    std::span<const Misread> misreads) {
  for (const Misread& misread : misreads) {
    if (auto anomaly = unwritten(histories, initial, misread)) return anomaly;
  }
  if (auto anomaly = cycle(histories, initial, in_time)) return anomaly;
  for (const Misread& misread : misreads) {
    if (!in_time) break;
    if (auto anomaly = replaced_long_ago(histories, misread)) return anomaly;
  }
  return std::nullopt;
}

Anomaly final_anomaly(std::span<const ClientHistory* const> histories, const RecordName& record,
                      ValueDigest expected, ValueDigest found) {
  Anomaly anomaly{.name = "final state",
                  .what = record_text(record) + " is not in the end what was written last",
                  .attempts = {},
                  .edges = {}};
  for (const ValueDigest value : {expected, found}) {
    for (const bool committed : {true, false}) {
      const Found writer = writer_of(histories, record, value, committed);
      if (writer.attempt != nullptr) anomaly.attempts.push_back(whole(writer));
    }
  }
  return anomaly;
}

}  // namespace verbena::txn
