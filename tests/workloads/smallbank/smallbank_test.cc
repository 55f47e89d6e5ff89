// SmallBank's mix, hot set and initial balances.
#include "workloads/smallbank/smallbank.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::workloads {
namespace {

TEST(SmallBank, MixIsFifteenPercentOfEachAndTwentyFiveOfSendPayment) {
  Random random(1);
  std::array<int, static_cast<std::size_t>(SmallBankKind::kCount)> counts{};
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i)
    ++counts[static_cast<std::size_t>(SmallBank::choose_kind(random))];
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const double share =
        kind == static_cast<std::size_t>(SmallBankKind::kSendPayment) ? 0.25 : 0.15;
    EXPECT_NEAR(static_cast<double>(counts[kind]) / kDraws, share, 0.005) << kind;
  }
}

TEST(SmallBank, NinetyPercentOfTheTransactionsUseFourPercentOfTheAccounts) {
  const SmallBank bank(4, 2, {.accounts_per_worker = 10'000});
  EXPECT_EQ(bank.schema()[SmallBank::kSavings].initial_records, 20'000U);
  Random random(1);
  constexpr int kDraws = 100'000;
  int hot = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto customers = bank.choose_customers(random, 2);
    EXPECT_NE(customers[0], customers[1]);
    const bool first = customers[0].key < 800;
    EXPECT_EQ(customers[1].key < 800, first) << "one transaction's customers are of the same set";
    hot += first ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(hot) / kDraws, 0.90, 0.005);
}

TEST(SmallBank, CustomersAreSpreadOverAllPartitionsAndAllKeysOfTheirSet) {
  const SmallBank bank(5, 1, {.accounts_per_worker = 1000});
  Random random(2);
  std::array<int, 5> partitions{};
  std::array<int, 4> hot_quarters{};
  std::array<int, 4> cold_quarters{};
  int hot = 0;
  int cold = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto customer = bank.choose_customers(random, 1)[0];
    ASSERT_LT(customer.partition, 5);
    ASSERT_LT(customer.key, 1000U);
    ++partitions[customer.partition];
    if (customer.key < 40) {
      ++hot;
      ++hot_quarters[customer.key / 10];
    } else {
      ++cold;
      ++cold_quarters[(customer.key - 40) / 240];
    }
  }
  for (const int count : partitions) EXPECT_NEAR(count, kDraws * 0.2, 1000);
  for (const int count : hot_quarters) EXPECT_NEAR(count, hot * 0.25, hot * 0.025);
  for (const int count : cold_quarters) EXPECT_NEAR(count, cold * 0.25, cold * 0.05);
}

TEST(SmallBank, BalancesOfTheRichBeginBetweenTenAndFiftyThousandDollars) {
  const SmallBank bank(2, 1, {.accounts_per_worker = 1000, .settled = false});
  for (const txn::TableId table : {SmallBank::kSavings, SmallBank::kChecking}) {
    const txn::TableDefinition& definition = bank.schema()[table];
    EXPECT_EQ(definition.initial_records, 1000U);
    std::array<std::byte, 8> payload{};
    for (txn::Key key = 0; key < 1000; ++key) {
      definition.load(1, key, payload);
      const std::int64_t cents = bank.amount(table, payload);
      EXPECT_EQ(cents, SmallBank::initial_balance(table, 1, key));
      EXPECT_GE(cents, 1'000'000);
      EXPECT_LE(cents, 5'000'000);
    }
  }
  EXPECT_NE(SmallBank::initial_balance(0, 0, 5), SmallBank::initial_balance(1, 0, 5));
  EXPECT_NE(SmallBank::initial_balance(0, 0, 5), SmallBank::initial_balance(0, 1, 5));
}

// So many cannot pay; one more amalgamation makes about as many poor as it and deposits make able.
TEST(SmallBank, CustomersArePoorOrVeryRichFromTheBeginning) {
  const SmallBank bank(2, 1, {.accounts_per_worker = 10'000});
  std::int64_t total = 0;
  int poor = 0;
  std::array<std::byte, 8> payload{};
  for (txn::Key key = 0; key < 10'000; ++key) {
    bank.schema()[SmallBank::kChecking].load(1, key, payload);
    const std::int64_t cents = bank.amount(SmallBank::kChecking, payload);
    poor += cents < 500 ? 1 : 0;
    total += cents;
  }
  EXPECT_NEAR(poor, 5750, 300);
  EXPECT_GT(total / 10'000, 1'000'000) << "amalgamations lose no money";
}

TEST(SmallBank, RefusesSetsTooSmallToDrawTwoCustomersFrom) {
  EXPECT_THROW(SmallBank(1, 1, {.accounts_per_worker = 10}), ConfigurationError);
  EXPECT_THROW(SmallBank(1, 1, {.accounts_per_worker = 100, .hot_fraction = 1.5}),
               ConfigurationError);
  EXPECT_THROW(SmallBank(1, 1, {.accounts_per_worker = 100, .hot_fraction = 1.0}),
               ConfigurationError);
  EXPECT_NO_THROW(SmallBank(1, 1, {.accounts_per_worker = 10, .hot_fraction = 0, .hot_share = 0}));
}

constexpr SmallBankOptions kAudited = {
    .accounts_per_worker = 25, .hot_fraction = 0.2, .audit_percent = 30};

TEST(SmallBankAudits, AreDrawnWithWhatOnlyMovesMoney) {
  const SmallBank bank(3, 2, kAudited);
  ASSERT_EQ(bank.kinds().back(), "audit");
  Random random(1);
  std::map<SmallBankKind, double> shares;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) shares[bank.next_kind(random)] += 1.0 / kDraws;
  EXPECT_EQ(shares.size(), 4U);
  EXPECT_NEAR(shares[SmallBankKind::kAudit], 0.30, 0.01);
  EXPECT_NEAR(shares[SmallBankKind::kAmalgamate], 0.70 * 15 / 55, 0.01);
  EXPECT_NEAR(shares[SmallBankKind::kBalance], 0.70 * 15 / 55, 0.01);
  EXPECT_NEAR(shares[SmallBankKind::kSendPayment], 0.70 * 25 / 55, 0.01);
}

TEST(SmallBankAudits, AreNoneUnlessTheyAreAskedFor) {
  const SmallBank bank(3, 2, {.accounts_per_worker = 25, .hot_fraction = 0.2});
  EXPECT_EQ(bank.kinds().back(), "write_check");
  Random one(1);
  Random other(1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bank.next_kind(one), SmallBank::choose_kind(other));
  EXPECT_EQ(bank.limits().records, 3U);
}

TEST(SmallBankAudits, TouchAllAccountsAndTellOfAnyOtherSum) {
  const SmallBank bank(3, 2, kAudited);
  EXPECT_EQ(bank.limits().records, 3U * 50 * 2);
  std::int64_t total = 0;
  for (const txn::TableId table : {SmallBank::kSavings, SmallBank::kChecking}) {
    for (int p = 0; p < 3; ++p) {
      for (txn::Key key = 0; key < 50; ++key) {
        std::array<std::byte, 8> payload{};
        bank.schema()[table].load(static_cast<txn::PartitionId>(p), key, payload);
        total += bank.amount(table, payload);
      }
    }
  }
  bank.report_sum(total);
  EXPECT_TRUE(bank.take_faults().empty());
  bank.report_sum(total - 500);
  const auto faults = bank.take_faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0], "audit during the run: the sum of all accounts is " +
                           std::to_string(total - 500) + " cents, and was " +
                           std::to_string(total) + " at first");
}

TEST(SmallBankAudits, OfMoreAccountsThanATransactionReadsAreRefused) {
  try {
    const SmallBank bank(3, 2, {.accounts_per_worker = 200, .audit_percent = 5});
    FAIL() << "must be refused";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(std::string(error.what()).find("smallbank: audit_percent 5 with 1200 customers"), 0U)
        << error.what();
  }
}

}  // namespace
}  // namespace verbena::workloads
