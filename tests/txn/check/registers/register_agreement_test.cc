// The check of single records comes to the verdicts of the plainest search, on random histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "tests/txn/check/client_histories.h"
#include "tests/txn/check/registers/plain_registers.h"
#include "txn/check/registers/register_check.h"
#include "txn/system_info.h"

namespace verbena::testing {
namespace {

constexpr txn::Key kLoadedKey = 0;
constexpr txn::Key kAbsentKey = 20;

struct Checked {
  std::optional<txn::Anomaly> anomaly;
  std::uint64_t unchecked = 0;
};

// In pieces of `piece` operations, each of which is checked as soon as it can be.
Checked checked(const PlainHistory& history, std::size_t piece,
                const txn::RegisterCheck::Limits& limits) {
  const txn::Key key = history.initial == txn::kAbsentValue ? kAbsentKey : kLoadedKey;
  txn::RegisterCheck check(history_schema(), txn::Isolation::kLinearizableRegisters, limits);
  const std::size_t size = history.operations.size();
  for (std::size_t first = 0; first < size; first += piece) {
    const std::size_t end = std::min(size, first + piece);
    check.add(attempts_of(history, key, first, end));
    txn::Moment now = txn::kAfterAll;
    for (std::size_t i = end; i < size; ++i) now = std::min(now, history.operations[i].began);
    if (end < size) check.replay(now);
  }
  check.finish();
  if (history.final_value) {
    check.compare_final(std::vector{txn::HistoryChecker::FinalValue{
        .record = {.table = 0, .partition = 0, .key = key}, .value = *history.final_value}});
  }
  return {check.anomaly(), check.undecided()};
}

std::string text_of(const PlainHistory& history) {
  std::string text = "initial " + std::to_string(history.initial);
  const auto value = [](const std::optional<txn::ValueDigest>& one) {
    return one ? std::to_string(*one) : "-";
  };
  for (const PlainOperation& one : history.operations) {
    text += "\n" + std::to_string(one.began) + " to " + std::to_string(one.ended) + " read " +
            value(one.read) + " wrote " + value(one.written) + " outcome " +
            std::to_string(static_cast<int>(one.outcome));
  }
  return text + "\nfinal " + value(history.final_value);
}

struct Named {
  const char* name;
  PlainMix mix;
};

const std::vector<Named> kMixes = {
    {"registers", {}},
    {"steps", {.steps = 60}},
    {"unknown", {.steps = 20, .unknown = 40, .aborted = 15}},
    {"repeats", {.erasures = 30, .repeats = 40, .clients = 4}},
    {"repeated steps", {.erasures = 25, .repeats = 35, .steps = 50, .clients = 4}},
    {"all",
     {.erasures = 20, .repeats = 30, .steps = 30, .unknown = 30, .aborted = 10, .clients = 5}},
};

class RegisterAgreement : public ::testing::TestWithParam<Named> {};

TEST_P(RegisterAgreement, WithAllOrders) {
  constexpr int kHistories = 10'000;
  Random random(7);
  int wrong = 0;
  for (int i = 0; i < kHistories; ++i) {
    PlainMix mix = GetParam().mix;
    mix.operations = 2 + random.below(6);
    mix.wrong = random.below(3);
    const bool loaded = random.below(2) == 0;
    const PlainHistory history =
        random_history(random, mix, loaded ? loaded_value() : txn::kAbsentValue);
    const bool right = has_order(history);
    wrong += right ? 0 : 1;
    for (const std::size_t piece : {std::size_t{1}, history.operations.size()}) {
      const Checked verdict = checked(history, piece, {.due = 1});
      ASSERT_EQ(!verdict.anomaly, right) << "history " << i << " in pieces of " << piece << "\n"
                                         << text_of(history) << "\n"
                                         << txn::anomaly_text(verdict.anomaly);
      ASSERT_EQ(verdict.unchecked, 0U);
    }
    // A search that gives up finds no anomaly.
    const bool found = checked(history, 1, {.states = 2, .due = 1}).anomaly.has_value();
    ASSERT_FALSE(right && found) << text_of(history);
  }
  EXPECT_GT(wrong, kHistories / 10);
  EXPECT_LT(wrong, kHistories * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Mixes, RegisterAgreement, ::testing::ValuesIn(kMixes),
                         [](const ::testing::TestParamInfo<Named>& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

// Long histories, of which much is forgotten, are right, and wrong with one value that is not.
TEST(RegisterAgreement, OnLongHistories) {
  const std::vector<Named> mixes = {
      {"registers", {.clients = 16}},
      {"steps", {.steps = 60, .clients = 16}},
      {"unknown", {.steps = 20, .unknown = 10, .aborted = 10, .clients = 8}},
      {"erasures", {.erasures = 40, .clients = 16}},
      {"erasures by steps", {.erasures = 40, .steps = 70, .clients = 8}},
      {"lost erasures", {.erasures = 40, .steps = 30, .unknown = 1, .clients = 8}},
      {"repeats", {.erasures = 10, .repeats = 30, .clients = 4}}};
  Random random(11);
  for (const Named& named : mixes) {
    PlainMix mix = named.mix;
    mix.operations = 1000;
    for (int i = 0; i < 20; ++i) {
      PlainHistory history = random_history(random, mix, txn::kAbsentValue);
      const Checked verdict = checked(history, 50, {});
      ASSERT_FALSE(verdict.anomaly)
          << named.name << " " << i << " " << txn::anomaly_text(verdict.anomaly);
      EXPECT_EQ(verdict.unchecked, 0U) << named.name << " " << i;
      const auto reader =
          std::ranges::find_if(history.operations.begin() + 500, history.operations.end(),
                               [](const PlainOperation& one) {
                                 return one.read && one.outcome == txn::Outcome::kCommitted;
                               });
      reader->read = 99;
      ASSERT_TRUE(checked(history, 50, {}).anomaly) << named.name << " " << i;
    }
  }
}

}  // namespace
}  // namespace verbena::testing
