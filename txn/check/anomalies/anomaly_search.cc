// Blame for a value that cannot be, and names for cycles.
#include "txn/check/anomalies/anomaly_search.h"

#include <algorithm>
#include <optional>
#include <string>

#include "txn/check/anomalies/attempt_graph.h"

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
Found writer_of(const Attempts& attempts, const RecordName& record, ValueDigest value,
                bool committed) {
  Found writer;
  for (const ClientHistory* history : attempts.histories) {
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

// The committed attempt with this timestamp, if it wrote the record.
Found writer_at(const Attempts& attempts, const RecordName& record, std::uint64_t timestamp) {
  for (const ClientHistory* history : attempts.histories) {
    for (const ClientAttempt& attempt : history->attempts) {
      if (attempt.outcome != Outcome::kCommitted || attempt.timestamp != timestamp) continue;
      const ClientAccess* access = access_to({history, &attempt}, record);
      if (access != nullptr && access->writes) return {history, &attempt};
    }
  }
  return {};
}

std::string timed_text(const ClientAttempt& attempt) {
  return attempt_text(attempt) + " (timestamp " + std::to_string(attempt.timestamp) + ", " +
         std::to_string(attempt.began_at.count()) + " to " +
         std::to_string(attempt.ended_at.count()) + " ns)";
}

// True if a committed attempt replaced `value` of the record, other than `reader`.
bool replaced(const Attempts& attempts, const Found& reader, const RecordName& record,
              ValueDigest value) {
  for (const ClientHistory* history : attempts.histories) {
    for (const ClientAttempt& attempt : history->attempts) {
      if (attempt.outcome != Outcome::kCommitted || &attempt == reader.attempt) continue;
      const ClientAccess* access = access_to({history, &attempt}, record);
      if (access == nullptr || !access->writes || !access->fetched) continue;
      if (access->read == value) return true;
    }
  }
  return false;
}

// Explains a value that was read and that no committed attempt wrote.
std::optional<Anomaly> unwritten(const Attempts& attempts, const InitialValues& initial,
                                 const Misread& misread) {
  const Found reader{misread.history, misread.attempt};
  const ClientAccess* access = access_to(reader, misread.record);
  if (access == nullptr || !access->fetched || access->read == initial.of(misread.record) ||
      writer_of(attempts, misread.record, access->read, true).attempt != nullptr) {
    return std::nullopt;
  }
  const std::string who = attempt_text(*reader.attempt);
  const std::string what = record_text(misread.record);
  const Found writer = writer_of(attempts, misread.record, access->read, false);
  if (writer.attempt != nullptr) {
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
  // Its writer may be among those that are forgotten.
  if (attempts.forgotten) return std::nullopt;
  const bool absent = access->read == kAbsentValue;
  return Anomaly{
      .name = "unwritten value",
      .what = who + " read " + what +
              (absent ? " as absent, which nobody had erased" : " with a value that nobody wrote"),
      .attempts = {whole(reader)},
      .edges = {}};
}

// Describes a misread that does not fit, and is in no cycle that is known.
Anomaly out_of_place(const Attempts& attempts, const Misread& misread) {
  const Found reader{misread.history, misread.attempt};
  const ClientAccess* access = access_to(reader, misread.record);
  const ValueDigest value = access == nullptr ? kAbsentValue : access->read;
  const std::string saw = attempt_text(*reader.attempt) + " saw " + record_text(misread.record);
  const bool known = writer_of(attempts, misread.record, value, true).attempt != nullptr ||
                     replaced(attempts, reader, misread.record, value);
  return {.name = "out of place",
          .what = saw + (attempts.forgotten && !known
                             ? " as it was long before, or as nobody wrote it"
                             : " otherwise than it was when the attempt can have been"),
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
  const bool scanned = std::ranges::any_of(edges, &AnomalyEdge::scanned);
  if (count(Precedence::kTime) > 0) return {"stale read", "in no order that the clock allows"};
  if (anti == 0 && count(Precedence::kWriteRead) == 0) return {"G0", "writes in a circle"};
  if (anti == 0) return {"G1c", "information in a circle"};
  if (anti > 1) return {"G2", scanned ? "phantom" : "write skew"};
  const bool same = std::ranges::all_of(
      edges, [&](const AnomalyEdge& edge) { return edge.record == edges.front().record; });
  if (edges.size() == 2 && same) return {"G-single", "lost update"};
  return {"G-single", scanned ? "phantom" : "read skew"};
}

std::optional<Anomaly> cycle(const Attempts& attempts, const InitialValues& initial, bool in_time,
                             std::span<const Misread> misreads) {
  std::vector<RecordName> records;
  for (const Misread& misread : misreads) {
    records.push_back(misread.record);
    for (const ClientAccess& access : misread.history->accesses(*misread.attempt)) {
      if (access.writes) records.push_back(access.record);
    }
  }
  std::ranges::sort(records);
  records.erase(std::ranges::unique(records).begin(), records.end());
  const AttemptGraph graph(attempts.histories, initial, records);
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

std::optional<Anomaly> find_anomaly(const Attempts& attempts, const InitialValues& initial,
                                    bool in_time, std::span<const Misread> misreads) {
  for (const Misread& misread : misreads) {
    if (auto anomaly = unwritten(attempts, initial, misread)) return anomaly;
  }
  if (auto anomaly = cycle(attempts, initial, in_time, misreads)) return anomaly;
  if (!in_time || misreads.empty()) return std::nullopt;
  return out_of_place(attempts, misreads.front());
}

Anomaly changed_value(const ClientHistory& history, const ClientAttempt& attempt,
                      const RecordName& record) {
  return {.name = "changed value",
          .what = attempt_text(attempt) + " had " + record_text(record) +
                  " change under it after it was fetched",
          .attempts = {whole({&history, &attempt})},
          .edges = {}};
}

Anomaly disorderly_scan(const ClientHistory& history, const ClientAttempt& attempt) {
  return {.name = "disorderly scan",
          .what = attempt_text(attempt) +
                  " was given keys out of a scan's range or order, or too many of them",
          .attempts = {whole({&history, &attempt})},
          .edges = {}};
}

std::optional<Anomaly> wrong_by_itself(const ClientHistory& history, const ClientAttempt& attempt) {
  for (const ClientAccess& access : history.accesses(attempt)) {
    if (access.changed) return changed_value(history, attempt, access.record);
  }
  for (const ClientScan& scan : history.scans(attempt)) {
    if (!scan.orderly) return disorderly_scan(history, attempt);
  }
  return std::nullopt;
}

Anomaly same_timestamp(const ClientHistory& history, const ClientAttempt& attempt,
                       const ClientHistory& other_history, const ClientAttempt& other) {
  return {.name = "same timestamp",
          .what = attempt_text(attempt) + " and " + attempt_text(other) +
                  " both committed at timestamp " + std::to_string(attempt.timestamp),
          .attempts = {whole({&history, &attempt}), whole({&other_history, &other})},
          .edges = {}};
}

Anomaly out_of_timestamp_order(const Attempts& attempts, const Misread& misread, ValueDigest held,
                               std::uint64_t since) {
  const Found reader{misread.history, misread.attempt};
  const ClientAccess* access = access_to(reader, misread.record);
  Anomaly anomaly{.name = "out of timestamp order",
                  .what = timed_text(*reader.attempt),
                  .attempts = {whole(reader)},
                  .edges = {}};
  const auto tell_writer = [&](const Found& writer) {
    if (writer.attempt == nullptr) return;
    anomaly.what += " of " + timed_text(*writer.attempt);
    anomaly.attempts.push_back(whole(writer));
  };
  const std::string record = record_text(misread.record);
  if (access != nullptr && !access->fetched) {
    anomaly.what += " replaced " + record;
  } else {
    const ValueDigest read = access == nullptr ? kAbsentValue : access->read;
    anomaly.what += " read " + record + " as " + value_text(read);
    tell_writer(writer_of(attempts, misread.record, read, true));
  }
  anomaly.what += ", which was " + value_text(held) + " there";
  tell_writer(writer_at(attempts, misread.record, since));
  return anomaly;
}

Anomaly final_anomaly(const Attempts& attempts, const RecordName& record, ValueDigest expected,
                      ValueDigest found) {
  Anomaly anomaly{.name = "final state",
                  .what = record_text(record) + " is not in the end what was written last",
                  .attempts = {},
                  .edges = {}};
  for (const ValueDigest value : {expected, found}) {
    for (const bool committed : {true, false}) {
      const Found writer = writer_of(attempts, record, value, committed);
      if (writer.attempt != nullptr) anomaly.attempts.push_back(whole(writer));
    }
  }
  return anomaly;
}

}  // namespace verbena::txn
