// Words and members for attempts, their accesses and their edges.
#include "experiments/report/text/anomaly_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;
using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kShownAccesses = 12;
constexpr std::array kOutcomes = {"committed", "rolled back", "aborted", "unknown"};

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string table_name(const Verdict& verdict, const txn::RecordName& record) {
  return record.table < verdict.tables.size() ? verdict.tables[record.table]
                                              : fmt::format("table {}", record.table);
}

std::string record_text(const Verdict& verdict, const txn::RecordName& record) {
  return fmt::format("{} partition {} key {}", table_name(verdict, record),
                     std::uint32_t{record.partition}, record.key);
}

std::string value_text(txn::ValueDigest value) {
  return value == txn::kAbsentValue ? "absent" : fmt::format("{:016x}", value);
}

std::string access_text(const Verdict& verdict, const txn::ClientAccess& access) {
  const std::string record = record_text(verdict, access.record);
  if (!access.fetched) {
    return fmt::format("wrote {} unseen as {}", record, value_text(access.written));
  }
  std::string text = fmt::format("read {} as {}", record, value_text(access.read));
  if (access.writes) text += fmt::format(", wrote {}", value_text(access.written));
  return text;
}

const char* outcome_name(txn::Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

// Some records were wanted, and neither fetched nor written.
bool known(const txn::ClientAccess& access) { return access.fetched || access.writes; }

// Reads and writes of an attempt, first those of the records of which the edges speak.
std::vector<txn::ClientAccess> by_concern(const txn::Anomaly& anomaly,
                                          const txn::AnomalousAttempt& attempt) {
  std::vector<txn::ClientAccess> accesses = attempt.accesses;
  std::erase_if(accesses, [](const txn::ClientAccess& access) { return !known(access); });
  std::ranges::stable_partition(accesses, [&](const txn::ClientAccess& access) {
    return std::ranges::any_of(anomaly.edges, [&](const txn::AnomalyEdge& edge) {
      return edge.why != txn::Precedence::kTime && edge.record == access.record;
    });
  });
  return accesses;
}

void add_attempt(Lines& lines, const Verdict& verdict, std::size_t index) {
  const txn::AnomalousAttempt& shown = verdict.anomaly->attempts[index];
  const txn::ClientAttempt& attempt = shown.attempt;
  const std::string timestamp =
      attempt.timestamp == 0 ? "" : fmt::format(", timestamp {}", attempt.timestamp);
  lines.emplace_back(
      fmt::format("  T{}", index + 1),
      fmt::format("node {}, thread {}, coroutine {}, attempt {}{}; {:.3f} us to {:.3f} us, {}",
                  std::uint32_t{attempt.client.node}, std::uint32_t{attempt.client.worker},
                  attempt.client.fiber, attempt.sequence, timestamp, microseconds(attempt.began_at),
                  microseconds(attempt.ended_at), outcome_name(attempt.outcome)));
  const std::vector<txn::ClientAccess> accesses = by_concern(*verdict.anomaly, shown);
  const std::size_t most = std::min(accesses.size(), kShownAccesses);
  for (std::size_t i = 0; i < most; ++i) {
    lines.emplace_back("", "  " + access_text(verdict, accesses[i]));
  }
  if (most < accesses.size()) {
    lines.emplace_back("", "  and " + counted(accesses.size() - most, "more record"));
  }
}

std::string edge_text(const Verdict& verdict, const txn::AnomalyEdge& edge) {
  const std::size_t from = edge.from + 1;
  const std::size_t to = edge.to + 1;
  const std::string record = record_text(verdict, edge.record);
  const std::string value = value_text(edge.value);
  switch (edge.why) {
    case txn::Precedence::kWriteWrite:
      return fmt::format("ww: T{} wrote {} as {}, which T{} replaced", from, record, value, to);
    case txn::Precedence::kWriteRead:
      return fmt::format("wr: T{} wrote {} as {}, which T{} read", from, record, value, to);
    case txn::Precedence::kReadWrite:
      if (edge.scanned) {
        return fmt::format("rw: a scan of T{} did not find {}, which T{} inserted", from, record,
                           to);
      }
      return fmt::format("rw: T{} read {} as {}, which T{} replaced", from, record, value, to);
    case txn::Precedence::kTime:
      break;
  }
  return fmt::format("time: T{} had ended when T{} began", from, to);
}

json record_document(const Verdict& verdict, const txn::RecordName& record) {
  return {{"table", table_name(verdict, record)},
          {"partition", std::uint32_t{record.partition}},
          {"key", record.key}};
}

json attempt_document(const Verdict& verdict, const txn::AnomalousAttempt& shown) {
  const txn::ClientAttempt& attempt = shown.attempt;
  json document = {{"node", std::uint32_t{attempt.client.node}},
                   {"thread", std::uint32_t{attempt.client.worker}},
                   {"coroutine", attempt.client.fiber},
                   {"attempt", attempt.sequence},
                   {"outcome", outcome_name(attempt.outcome)},
                   {"begin_us", microseconds(attempt.began_at)},
                   {"end_us", microseconds(attempt.ended_at)},
                   {"records", json::array()}};
  if (attempt.timestamp != 0) document["timestamp"] = attempt.timestamp;
  for (const txn::ClientAccess& access : shown.accesses) {
    if (!known(access)) continue;
    json record = record_document(verdict, access.record);
    record["read"] = access.fetched ? json(value_text(access.read)) : json(nullptr);
    record["written"] = access.writes ? json(value_text(access.written)) : json(nullptr);
    document["records"].push_back(std::move(record));
  }
  return document;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> anomaly_lines(const Verdict& verdict) {
  Lines lines;
  if (!verdict.anomaly) return lines;
  for (std::size_t i = 0; i < verdict.anomaly->attempts.size(); ++i) {
    add_attempt(lines, verdict, i);
  }
  for (const txn::AnomalyEdge& edge : verdict.anomaly->edges) {
    lines.emplace_back(fmt::format("  T{} -> T{}", edge.from + 1, edge.to + 1),
                       edge_text(verdict, edge));
  }
  return lines;
}

json anomaly_document(const Verdict& verdict) {
  if (!verdict.anomaly) return nullptr;
  json document = {{"name", verdict.anomaly->name},
                   {"what", verdict.anomaly->what},
                   {"attempts", json::array()},
                   {"edges", json::array()}};
  for (const txn::AnomalousAttempt& attempt : verdict.anomaly->attempts) {
    document["attempts"].push_back(attempt_document(verdict, attempt));
  }
  for (const txn::AnomalyEdge& edge : verdict.anomaly->edges) {
    json told = {{"from", edge.from}, {"to", edge.to}, {"why", precedence_name(edge.why)}};
    if (edge.why != txn::Precedence::kTime) {
      told.update(record_document(verdict, edge.record));
      told["value"] = value_text(edge.value);
      told["scanned"] = edge.scanned;
    }
    document["edges"].push_back(std::move(told));
  }
  return document;
}

}  // namespace verbena::experiments
