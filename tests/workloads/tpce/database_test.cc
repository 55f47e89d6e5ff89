// TPC-E's customers, accounts and holdings are distributed as its generator distributes them.
#include "workloads/tpce/database.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::workloads::tpce {
namespace {

class TpceDatabase : public ::testing::Test {
 protected:
  template <typename Record>
  Record loaded(Table table, txn::PartitionId partition, txn::Key key) const {
    std::vector<std::byte> payload(schema_[table].payload_bytes);
    schema_[table].load(partition, key, payload);
    Record record;
    EXPECT_EQ(payload.size(), sizeof record);
    std::memcpy(&record, payload.data(), sizeof record);
    return record;
  }

  Database database_{4, {.customers_per_node = 2'000}};
  txn::Schema schema_ = database_.schema();
};

TEST_F(TpceDatabase, HasTheStandardsCardinalities) {
  EXPECT_EQ(schema_[kCustomer].initial_records, 2'000U);
  EXPECT_EQ(schema_[kLastTrade].initial_records, 1'370U);
  EXPECT_EQ(database_.securities(), 5'480U);
  EXPECT_EQ(database_.partition_of_security(5'479), 3);
  EXPECT_EQ(database_.last_trade_key(5'479), 1'369U);
}

TEST_F(TpceDatabase, CustomersOfHigherTiersAreDrawnMoreOften) {
  Random random(1);
  constexpr int kDraws = 200'000;
  std::array<double, 4> tiers{};
  std::array<int, 2> halves_of_tier_2{};
  std::array<int, 2> units{};
  double accounts = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint32_t customer = database_.choose_customer(random);
    ASSERT_LT(customer, 2'000U);
    ++units[customer / 1000];
    tiers[Database::tier(customer)] += 1.0 / kDraws;
    if (Database::tier(customer) == 2) ++halves_of_tier_2[customer % 1000 < 500 ? 0 : 1];
    accounts += static_cast<double>(Database::accounts(customer)) / kDraws;
  }
  EXPECT_NEAR(tiers[1], 0.10, 0.003);
  EXPECT_NEAR(tiers[2], 0.60, 0.005);
  EXPECT_NEAR(tiers[3], 0.30, 0.005);
  EXPECT_NEAR(units[0], kDraws * 0.5, 1000);
  EXPECT_NEAR(static_cast<double>(halves_of_tier_2[1]) / halves_of_tier_2[0], 1.35, 0.05);
  EXPECT_NEAR(accounts, 5.5, 0.05);
}

TEST_F(TpceDatabase, EveryCustomerCanBeDrawn) {
  Random random(1);
  std::set<std::uint32_t> drawn;
  for (int i = 0; i < 200'000; ++i) drawn.insert(database_.choose_customer(random));
  EXPECT_EQ(drawn.size(), 2'000U);
}

TEST_F(TpceDatabase, CustomersHaveFiveAccountsOnAverage) {
  double accounts = 0;
  std::array<std::set<std::uint32_t>, 4> by_tier;
  for (std::uint32_t customer = 0; customer < 2'000; ++customer) {
    const auto record = loaded<Customer>(kCustomer, 1, customer);
    EXPECT_EQ(record.accounts, Database::accounts(customer));
    EXPECT_EQ(record.tier, Database::tier(customer));
    accounts += record.accounts;
    by_tier[record.tier].insert(record.accounts);
    EXPECT_EQ(loaded<CustomerByTaxId>(kCustomerByTaxId, 1, record.tax_number).customer, customer);
  }
  EXPECT_NEAR(accounts / 2'000, 5, 0.05);
  EXPECT_EQ(by_tier[1], (std::set<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(by_tier[2], (std::set<std::uint32_t>{2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(by_tier[3], (std::set<std::uint32_t>{5, 6, 7, 8, 9, 10}));
}

TEST_F(TpceDatabase, AccountsHoldTenDifferentSecuritiesOnAverageFromEverywhere) {
  double holdings = 0;
  double accounts = 0;
  std::array<double, 4> partitions{};
  for (std::uint32_t customer = 0; customer < 2'000; ++customer) {
    for (std::uint32_t n = 0; n < Database::accounts(customer); ++n) {
      const txn::Key key = Database::account_key(customer, n);
      const auto account = loaded<Account>(kAccount, 2, key);
      const Database::Range range =
          Database::holdings(Database::tier(customer), Database::accounts(customer));
      EXPECT_GE(account.holdings, range.low);
      EXPECT_LE(account.holdings, range.high);
      std::set<std::uint32_t> securities;
      for (std::uint32_t h = 0; h < account.holdings; ++h) {
        const auto holding =
            loaded<HoldingSummary>(kHoldingSummary, 2, Database::holding_key(key, h));
        ASSERT_LT(holding.security, database_.securities());
        EXPECT_TRUE(securities.insert(holding.security).second);
        EXPECT_GT(holding.quantity, 0);
        ++partitions[database_.partition_of_security(holding.security)];
      }
      holdings += account.holdings;
      ++accounts;
    }
  }
  EXPECT_NEAR(holdings / accounts, 10, 0.1);
  for (const double held : partitions) EXPECT_NEAR(held / holdings, 0.25, 0.01);
}

TEST_F(TpceDatabase, TradesHaveTwoOrThreeStates) {
  for (txn::Key key = 0; key < 200; ++key) {
    const auto trade = loaded<Trade>(kTrade, 0, Database::trade_key(3, key % kTrades) + key);
    EXPECT_TRUE(trade.history == 2 || trade.history == 3);
  }
  const auto last = loaded<TradeHistory>(kTradeHistory, 0, Database::trade_history_key(7, 1));
  EXPECT_EQ(std::memcmp(last.status, "CMPT", 4), 0);
}

TEST(TpceDatabaseOptions, CustomersComeInLoadUnits) {
  EXPECT_THROW(Database(2, {.customers_per_node = 0}), ConfigurationError);
  EXPECT_THROW(Database(2, {.customers_per_node = 1'500}), ConfigurationError);
  EXPECT_NO_THROW(Database(2, {.customers_per_node = 1'000}));
}

}  // namespace
}  // namespace verbena::workloads::tpce
