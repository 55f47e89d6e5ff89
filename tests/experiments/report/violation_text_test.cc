// What people and programs read of a history that is wrong.
#include "experiments/report/violation_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace verbena::experiments {
namespace {

txn::ViolatingTransaction transaction(std::uint16_t fiber, Nanoseconds begin, Nanoseconds end,
                                      std::vector<txn::HistoryAccess> accesses) {
  return {.entry = {.owner = {.node = 2, .worker = 1, .fiber = fiber},
                    .sequence = 17,
                    .committed = true,
                    .begin = begin,
                    .end = end},
          .accesses = std::move(accesses)};
}

// One reads what the other replaces, who had ended before.
Verdict stale_read() {
  const txn::RecordName record{.table = 1, .partition = 3, .key = 42};
  Verdict verdict{.summary = "", .errors = {"history: wrong"}, .violation = txn::Violation{}};
  verdict.tables = {"savings", "checking"};
  txn::Violation& violation = *verdict.violation;
  violation.what = "wrong";
  violation.transactions = {
      transaction(4, 3000_ns, 4500_ns, {{.record = record, .read_version = 6}}),
      transaction(5, 1000_ns, 2001_ns,
                  {{.record = record, .read_version = 6, .written_version = 7}})};
  violation.edges = {{.from = 0,
                      .to = 1,
                      .why = txn::Dependency::kReadWrite,
                      .record = record,
                      .from_version = 6,
                      .to_version = 7},
                     {.from = 1, .to = 0, .why = txn::Dependency::kRealTime}};
  return verdict;
}

TEST(ViolationText, TellsWhoDidWhatWhenAndWhyItContradictsItself) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"  T1", "node 2, thread 1, coroutine 4, number 17; 3.000 us to 4.500 us"},
      {"", "  read checking partition 3 key 42 version 6"},
      {"  T2", "node 2, thread 1, coroutine 5, number 17; 1.000 us to 2.001 us"},
      {"", "  read checking partition 3 key 42 version 6, wrote version 7"},
      {"  T1 -> T2", "rw: T1 read checking partition 3 key 42 version 6, which T2 replaced by 7"},
      {"  T2 -> T1", "time: T2 had ended at 2.001 us, T1 began at 3.000 us"}};
  EXPECT_EQ(violation_lines(stale_read()), wanted);
}

TEST(ViolationText, ShowsWhatTheEdgesAreAboutFirstAndNotAll) {
  Verdict verdict = stale_read();
  auto& accesses = verdict.violation->transactions[0].accesses;
  for (txn::Key key = 100; key < 130; ++key) {
    accesses.insert(accesses.begin(), {.record = {.table = 0, .key = key}, .read_version = 1});
  }
  const auto lines = violation_lines(verdict);
  EXPECT_EQ(lines[1].second, "  read checking partition 3 key 42 version 6");
  EXPECT_EQ(lines[13].second, "  and 19 more records");
  EXPECT_EQ(violation_document(verdict)["transactions"][0]["records"].size(), 31U);
}

TEST(ViolationText, HasTheSameMembersInTheDocument) {
  const auto document = violation_document(stale_read());
  EXPECT_EQ(document["what"], "wrong");
  const auto& writer = document["transactions"][1];
  EXPECT_EQ(writer["node"], 2);
  EXPECT_EQ(writer["coroutine"], 5);
  EXPECT_EQ(writer["end_us"], 2.001);
  EXPECT_EQ(writer["records"][0]["table"], "checking");
  EXPECT_EQ(writer["records"][0]["written_version"], 7);
  EXPECT_TRUE(document["transactions"][0]["records"][0]["written_version"].is_null());
  EXPECT_EQ(document["edges"][0]["why"], "rw");
  EXPECT_EQ(document["edges"][0]["key"], 42);
  EXPECT_EQ(document["edges"][1]["why"], "time");
  EXPECT_FALSE(document["edges"][1].contains("key"));
}

TEST(ViolationText, IsNothingWhereNothingIsWrong) {
  EXPECT_TRUE(violation_lines({}).empty());
  EXPECT_TRUE(violation_document({}).is_null());
}

}  // namespace
}  // namespace verbena::experiments
