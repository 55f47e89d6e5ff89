// Words and members for transactions, their accesses and their edges.
#include "experiments/report/violation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace verbena::experiments {
namespace {

using nlohmann::json;
using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kShownAccesses = 12;

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string table_name(const Verdict& verdict, const txn::RecordName& record) {
  return record.table < verdict.tables.size() ? verdict.tables[record.table]
                                              : fmt::format("table {}", record.table);
}

std::string record_text(const Verdict& verdict, const txn::RecordName& record) {
  return fmt::format("{} partition {} key {}", table_name(verdict, record),
                     std::uint32_t{record.partition}, record.key);
}

std::string access_text(const Verdict& verdict, const txn::HistoryAccess& access) {
  std::string text = fmt::format("read {} {}version {}", record_text(verdict, access.record),
                                 access.read_absent ? "absent, " : "", access.read_version);
  if (access.written_version != 0)
    text += fmt::format(", wrote version {}", access.written_version);
  return text;
}

// What `transaction` read and wrote, that of which the edges speak first.
std::vector<txn::HistoryAccess> by_concern(const txn::Violation& violation,
                                           const txn::ViolatingTransaction& transaction) {
  std::vector<txn::HistoryAccess> accesses = transaction.accesses;
  std::stable_partition(accesses.begin(), accesses.end(), [&](const txn::HistoryAccess& access) {
    return std::ranges::any_of(violation.edges, [&](const txn::ViolationEdge& edge) {
      return edge.why != txn::Dependency::kRealTime && edge.record == access.record;
    });
  });
  return accesses;
}

void add_transaction(Lines& lines, const Verdict& verdict, std::size_t index) {
  const txn::ViolatingTransaction& transaction = verdict.violation->transactions[index];
  const txn::HistoryEntry& entry = transaction.entry;
  lines.emplace_back(
      fmt::format("  T{}", index + 1),
      fmt::format("node {}, thread {}, coroutine {}, number {}; {:.3f} us to {:.3f} us{}",
                  std::uint32_t{entry.owner.node}, std::uint32_t{entry.owner.worker},
                  entry.owner.fiber, entry.sequence, microseconds(entry.begin),
                  microseconds(entry.end), entry.committed ? "" : ", aborted"));
  const std::vector<txn::HistoryAccess> accesses = by_concern(*verdict.violation, transaction);
  const std::size_t shown = std::min(accesses.size(), kShownAccesses);
  for (std::size_t i = 0; i < shown; ++i) {
    lines.emplace_back("", "  " + access_text(verdict, accesses[i]));
  }
  if (shown < accesses.size()) {
    lines.emplace_back("", fmt::format("  and {} more records", accesses.size() - shown));
  }
}

std::string edge_text(const Verdict& verdict, const txn::ViolationEdge& edge) {
  const std::size_t from = edge.from + 1;
  const std::size_t to = edge.to + 1;
  const std::string record = record_text(verdict, edge.record);
  switch (edge.why) {
    case txn::Dependency::kWriteWrite:
      return fmt::format("ww: T{} wrote {} version {}, T{} the next, {}", from, record,
                         edge.from_version, to, edge.to_version);
    case txn::Dependency::kWriteRead:
      return fmt::format("wr: T{} wrote {} version {}, which T{} read", from, record,
                         edge.from_version, to);
    case txn::Dependency::kReadWrite:
      return fmt::format("rw: T{} read {} version {}, which T{} replaced by {}", from, record,
                         edge.from_version, to, edge.to_version);
    case txn::Dependency::kRealTime:
      break;
  }
  return fmt::format("time: T{} had ended at {:.3f} us, T{} began at {:.3f} us", from,
                     microseconds(verdict.violation->transactions[edge.from].entry.end), to,
                     microseconds(verdict.violation->transactions[edge.to].entry.begin));
}

json record_document(const Verdict& verdict, const txn::RecordName& record) {
  return {{"table", table_name(verdict, record)},
          {"partition", std::uint32_t{record.partition}},
          {"key", record.key}};
}

json transaction_document(const Verdict& verdict, const txn::ViolatingTransaction& transaction) {
  const txn::HistoryEntry& entry = transaction.entry;
  json document = {{"node", std::uint32_t{entry.owner.node}},
                   {"thread", std::uint32_t{entry.owner.worker}},
                   {"coroutine", entry.owner.fiber},
                   {"number", entry.sequence},
                   {"committed", entry.committed},
                   {"begin_us", microseconds(entry.begin)},
                   {"end_us", microseconds(entry.end)},
                   {"records", json::array()}};
  for (const txn::HistoryAccess& access : transaction.accesses) {
    json record = record_document(verdict, access.record);
    record["read_absent"] = access.read_absent;
    record["read_version"] = access.read_version;
    record["written_version"] =
        access.written_version == 0 ? json(nullptr) : json(access.written_version);
    document["records"].push_back(std::move(record));
  }
  return document;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> violation_lines(const Verdict& verdict) {
  Lines lines;
  if (!verdict.violation) return lines;
  for (std::size_t i = 0; i < verdict.violation->transactions.size(); ++i) {
    add_transaction(lines, verdict, i);
  }
  for (const txn::ViolationEdge& edge : verdict.violation->edges) {
    lines.emplace_back(fmt::format("  T{} -> T{}", edge.from + 1, edge.to + 1),
                       edge_text(verdict, edge));
  }
  return lines;
}

json violation_document(const Verdict& verdict) {
  if (!verdict.violation) return nullptr;
  json document = {
      {"what", verdict.violation->what}, {"transactions", json::array()}, {"edges", json::array()}};
  for (const txn::ViolatingTransaction& transaction : verdict.violation->transactions) {
    document["transactions"].push_back(transaction_document(verdict, transaction));
  }
  for (const txn::ViolationEdge& edge : verdict.violation->edges) {
    json told = {{"from", edge.from}, {"to", edge.to}, {"why", dependency_name(edge.why)}};
    if (edge.why != txn::Dependency::kRealTime) {
      told.update(record_document(verdict, edge.record));
      told["from_version"] = edge.from_version;
      told["to_version"] = edge.to_version;
    }
    document["edges"].push_back(std::move(told));
  }
  return document;
}

}  // namespace verbena::experiments
