// Anomalies as people and programs read them.
#include "experiments/report/text/anomaly_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace verbena::experiments {
namespace {

constexpr txn::RecordName kRecord{.table = 1, .partition = 3, .key = 42};

txn::AnomalousAttempt attempt(std::uint16_t fiber, Nanoseconds begin, Nanoseconds end,
                              std::vector<txn::ClientAccess> accesses) {
  return {.attempt = {.client = {.node = 2, .worker = 1, .fiber = fiber},
                      .outcome = txn::Outcome::kCommitted,
                      .sequence = 17,
                      .began_at = begin,
                      .ended_at = end},
          .accesses = std::move(accesses)};
}

// One reads what the other replaces, who had ended before.
Verdict stale_read() {
  Verdict verdict{.summary = "", .errors = {"history: wrong"}, .anomaly = txn::Anomaly{}};
  verdict.tables = {"savings", "checking"};
  txn::Anomaly& anomaly = *verdict.anomaly;
  anomaly.name = "stale read";
  anomaly.what = "wrong";
  anomaly.attempts = {
      attempt(4, 3000_ns, 4500_ns, {{.record = kRecord, .read = 0xab, .fetched = true}}),
      attempt(5, 1000_ns, 2001_ns,
              {{.record = kRecord, .read = 0xab, .fetched = true, .writes = true}})};
  anomaly.edges = {
      {.from = 0, .to = 1, .why = txn::Precedence::kReadWrite, .record = kRecord, .value = 0xab},
      {.from = 1, .to = 0, .why = txn::Precedence::kTime}};
  return verdict;
}

TEST(AnomalyText, TellsWhoDidWhatWhenAndWhyItContradictsItself) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"  T1", "node 2, thread 1, coroutine 4, attempt 17; 3.000 us to 4.500 us, committed"},
      {"", "  read checking partition 3 key 42 as 00000000000000ab"},
      {"  T2", "node 2, thread 1, coroutine 5, attempt 17; 1.000 us to 2.001 us, committed"},
      {"", "  read checking partition 3 key 42 as 00000000000000ab, wrote absent"},
      {"  T1 -> T2",
       "rw: T1 read checking partition 3 key 42 as 00000000000000ab, which T2 replaced"},
      {"  T2 -> T1", "time: T2 had ended when T1 began"}};
  EXPECT_EQ(anomaly_lines(stale_read()), wanted);
}

TEST(AnomalyText, ShowsTimestampsAndWhatWasWrittenUnseen) {
  Verdict verdict = stale_read();
  verdict.anomaly->attempts[0].attempt.timestamp = 640;
  verdict.anomaly->attempts[0].accesses = {{.record = kRecord},
                                           {.record = kRecord, .written = 0xcd, .writes = true}};
  const auto lines = anomaly_lines(verdict);
  EXPECT_NE(lines[0].second.find("attempt 17, timestamp 640; 3.000 us"), std::string::npos);
  EXPECT_EQ(lines[1].second, "  wrote checking partition 3 key 42 unseen as 00000000000000cd");
  EXPECT_EQ(lines[2].first, "  T2") << "a record that was only wanted is not shown";
  const auto document = anomaly_document(verdict);
  EXPECT_EQ(document["attempts"][0]["timestamp"], 640);
  EXPECT_TRUE(document["attempts"][0]["records"][0]["read"].is_null());
  EXPECT_EQ(document["attempts"][0]["records"][0]["written"], "00000000000000cd");
  EXPECT_FALSE(document["attempts"][1].contains("timestamp"));
}

TEST(AnomalyText, SaysThatAScanDidNotFindTheRecord) {
  Verdict verdict = stale_read();
  verdict.anomaly->edges[0].scanned = true;
  EXPECT_EQ(anomaly_lines(verdict)[4].second,
            "rw: a scan of T1 did not find checking partition 3 key 42, which T2 inserted");
  EXPECT_EQ(anomaly_document(verdict)["edges"][0]["scanned"], true);
}

TEST(AnomalyText, ShowsWhatTheEdgesAreAboutFirstAndNotAll) {
  Verdict verdict = stale_read();
  auto& accesses = verdict.anomaly->attempts[0].accesses;
  for (txn::Key key = 100; key < 130; ++key) {
    accesses.insert(accesses.begin(),
                    {.record = {.table = 0, .key = key}, .read = 1, .fetched = true});
  }
  const auto lines = anomaly_lines(verdict);
  EXPECT_EQ(lines[1].second, "  read checking partition 3 key 42 as 00000000000000ab");
  EXPECT_EQ(lines[13].second, "  and 19 more records");
  EXPECT_EQ(anomaly_document(verdict)["attempts"][0]["records"].size(), 31U);
}

TEST(AnomalyText, HasTheSameMembersInTheDocument) {
  const auto document = anomaly_document(stale_read());
  EXPECT_EQ(document["name"], "stale read");
  EXPECT_EQ(document["what"], "wrong");
  const auto& writer = document["attempts"][1];
  EXPECT_EQ(writer["node"], 2);
  EXPECT_EQ(writer["coroutine"], 5);
  EXPECT_EQ(writer["outcome"], "committed");
  EXPECT_EQ(writer["end_us"], 2.001);
  EXPECT_EQ(writer["records"][0]["table"], "checking");
  EXPECT_EQ(writer["records"][0]["read"], "00000000000000ab");
  EXPECT_EQ(writer["records"][0]["written"], "absent");
  EXPECT_TRUE(document["attempts"][0]["records"][0]["written"].is_null());
  EXPECT_EQ(document["edges"][0]["why"], "rw");
  EXPECT_EQ(document["edges"][0]["key"], 42);
  EXPECT_EQ(document["edges"][1]["why"], "time");
  EXPECT_FALSE(document["edges"][1].contains("key"));
}

TEST(AnomalyText, IsNothingWhereNothingIsWrong) {
  EXPECT_TRUE(anomaly_lines({}).empty());
  EXPECT_TRUE(anomaly_document({}).is_null());
}

}  // namespace
}  // namespace verbena::experiments
