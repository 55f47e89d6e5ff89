// Histories as Jepsen's checkers read them.
#include "experiments/report/files/history_file.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbena::experiments {
namespace {

using Accesses = std::vector<txn::HistoryAccess>;

txn::HistoryAccess read_of(txn::Key key, std::uint64_t version) {
  return {.record = {.table = 1, .partition = 2, .key = key}, .entry = 9, .read_version = version};
}
txn::HistoryAccess write_of(txn::Key key, std::uint64_t version) {
  txn::HistoryAccess access = read_of(key, version);
  access.written_version = version + 1;
  return access;
}
txn::HistoryAccess insert_of(txn::Key key) {
  txn::HistoryAccess access = write_of(key, 0);
  access.read_absent = true;
  return access;
}

class Example {
 public:
  Example& add(std::uint16_t fiber, Nanoseconds begin, Nanoseconds end, const Accesses& accesses,
               bool committed = true) {
    history_.add({.owner = {.node = 1, .worker = 2, .fiber = fiber},
                  .committed = committed,
                  .begin = begin,
                  .end = end},
                 accesses);
    return *this;
  }
  std::string text(HistoryForm form = HistoryForm::kJsonLines) const {
    return history_text(history_, {"savings", "checking"}, form);
  }

 private:
  txn::History history_;
};

std::string line(int index, const char* type, std::uint64_t process, int time, const char* value) {
  return "{\"index\":" + std::to_string(index) + ",\"type\":\"" + type +
         "\",\"process\":" + std::to_string(process) + ",\"time\":" + std::to_string(time) +
         R"(,"f":"txn","value":)" + value + "}\n";
}

constexpr std::uint64_t kProcess = 10'020'000'000 + 30'000;  // node 1, thread 2, coroutine 3

TEST(HistoryFile, HasAnInvocationAndACompletionPerAttempt) {
  const std::string text = Example().add(3, 10_ns, 20_ns, {write_of(5, 1), read_of(6, 4)}).text();
  EXPECT_EQ(text, line(0, "invoke", kProcess, 10,
                       R"([["r","checking/2/5@9",null],["w","checking/2/5@9",2],)"
                       R"(["r","checking/2/6@9",null]])") +
                      line(1, "ok", kProcess, 20,
                           R"([["r","checking/2/5@9",null],["w","checking/2/5@9",2],)"
                           R"(["r","checking/2/6@9",4]])"))
      << "a version that was loaded is nothing's";
}

TEST(HistoryFile, IsEdnWhereItsNameSaysSo) {
  EXPECT_EQ(history_form("a.edn"), HistoryForm::kEdn);
  EXPECT_EQ(history_form("a.jsonl"), HistoryForm::kJsonLines);
  EXPECT_EQ(Example().add(3, 10_ns, 20_ns, {write_of(5, 1)}).text(HistoryForm::kEdn),
            "{:index 0, :type :invoke, :process 10020030000, :time 10, :f :txn, :value "
            "[[:r \"checking/2/5@9\" nil] [:w \"checking/2/5@9\" 2]]}\n"
            "{:index 1, :type :ok, :process 10020030000, :time 20, :f :txn, :value "
            "[[:r \"checking/2/5@9\" nil] [:w \"checking/2/5@9\" 2]]}\n");
}

TEST(HistoryFile, OrdersOperationsByTime) {
  const std::string text =
      Example().add(3, 30_ns, 50_ns, {read_of(5, 2)}).add(4, 10_ns, 30_ns, {write_of(5, 1)}).text();
  EXPECT_EQ(text, line(0, "invoke", kProcess + 10'000, 10,
                       R"([["r","checking/2/5@9",null],["w","checking/2/5@9",2]])") +
                      line(1, "invoke", kProcess, 30, R"([["r","checking/2/5@9",null]])") +
                      line(2, "ok", kProcess + 10'000, 30,
                           R"([["r","checking/2/5@9",null],["w","checking/2/5@9",2]])") +
                      line(3, "ok", kProcess, 50, R"([["r","checking/2/5@9",2]])"))
      << "what begins when another ends is not behind it";
}

TEST(HistoryFile, GivesAttemptsThatOverlapProcessesOfTheirOwn) {
  const std::string text =
      Example().add(3, 10_ns, 20_ns, {}).add(3, 15_ns, 30_ns, {}).add(3, 40_ns, 50_ns, {}).text();
  EXPECT_EQ(text, line(0, "invoke", kProcess, 10, "[]") +
                      line(1, "invoke", kProcess + 1, 15, "[]") +
                      line(2, "ok", kProcess, 20, "[]") + line(3, "ok", kProcess + 1, 30, "[]") +
                      line(4, "invoke", kProcess, 40, "[]") + line(5, "ok", kProcess, 50, "[]"));
}

TEST(HistoryFile, WritesNoValueTwice) {
  // An aborted attempt did not write what another wrote; what two have written has two values.
  const std::string text = Example()
                               .add(1, 1_ns, 2_ns, {write_of(5, 1)}, false)
                               .add(2, 3_ns, 4_ns, {write_of(5, 1)})
                               .add(3, 5_ns, 6_ns, {write_of(5, 1)})
                               .add(4, 7_ns, 8_ns, {write_of(6, 1)}, false)
                               .text();
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(
      R"("fail","process":10020010000,"time":2,"f":"txn","value":[["r","checking/2/5@9",null]]})"))
      << text;
  EXPECT_TRUE(
      has(R"("time":4,"f":"txn","value":[["r","checking/2/5@9",null],["w","checking/2/5@9",2]]})"));
  EXPECT_TRUE(has(R"(["w","checking/2/5@9",1099511627778])")) << text;
  EXPECT_TRUE(
      has(R"("time":8,"f":"txn","value":[["r","checking/2/6@9",null],["w","checking/2/6@9",2]]})"))
      << "nobody else wrote it";
}

TEST(HistoryFile, TellsARemovalFromWhatNeverWas) {
  txn::HistoryAccess removed = read_of(5, 3);
  removed.read_absent = true;
  txn::HistoryAccess never = read_of(6, 3);
  never.read_absent = true;
  const std::string text =
      Example().add(1, 1_ns, 2_ns, {write_of(5, 2)}).add(1, 3_ns, 4_ns, {removed, never}).text();
  EXPECT_NE(
      text.find(
          R"("time":4,"f":"txn","value":[["r","checking/2/5@9",3],["r","checking/2/6@9",null]]})"),
      std::string::npos)
      << text;
}

// An insert into an entry that never held a record writes the version that loaded records have.
TEST(HistoryFile, TellsAnInsertedRecordFromALoadedOne) {
  const std::string text = Example()
                               .add(1, 1_ns, 2_ns, {insert_of(5)})
                               .add(1, 3_ns, 4_ns, {read_of(5, 1), read_of(6, 1)})
                               .text();
  EXPECT_NE(
      text.find(
          R"("time":2,"f":"txn","value":[["r","checking/2/5@9",null],["w","checking/2/5@9",1]]})"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          R"("time":4,"f":"txn","value":[["r","checking/2/5@9",1],["r","checking/2/6@9",null]]})"),
      std::string::npos)
      << text;
}

TEST(HistoryFile, ShowsThatAnInsertWasReadWhichNobodyCommitted) {
  const std::string text = Example()
                               .add(1, 1_ns, 2_ns, {insert_of(5)}, false)
                               .add(1, 3_ns, 4_ns, {read_of(5, 1)})
                               .text();
  EXPECT_NE(text.find(R"("time":4,"f":"txn","value":[["r","checking/2/5@9",1]]})"),
            std::string::npos)
      << text;
}

// A record that an attempt inserts and erases itself leaves a first version that holds none.
TEST(HistoryFile, TellsARemovalOfTheFirstVersionFromWhatNeverWas) {
  txn::HistoryAccess removed = read_of(5, 1);
  txn::HistoryAccess never = read_of(5, 0);
  removed.read_absent = never.read_absent = true;
  const std::string text = Example()
                               .add(1, 1_ns, 2_ns, {never})
                               .add(1, 3_ns, 4_ns, {insert_of(5)})
                               .add(1, 5_ns, 6_ns, {removed})
                               .text();
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(R"("time":2,"f":"txn","value":[["r","checking/2/5@9",null]]})")) << text;
  EXPECT_TRUE(has(R"("time":6,"f":"txn","value":[["r","checking/2/5@9",1]]})")) << text;
}

}  // namespace
}  // namespace verbena::experiments
