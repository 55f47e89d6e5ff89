// TATP's records are where their keys say, and as many of them exist as the standard asks for.
#include "workloads/tatp/database.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::workloads::tatp {
namespace {

constexpr std::uint64_t kPerNode = 20'000;

class TatpDatabase : public ::testing::Test {
 protected:
  bool exists(Table table, txn::Key key) const {
    return schema_[table].initial_index(key).has_value();
  }
  template <typename Record>
  Record loaded(Table table, txn::PartitionId partition, txn::Key key) const {
    std::vector<std::byte> payload(schema_[table].payload_bytes);
    schema_[table].load(partition, key, payload);
    Record record;
    EXPECT_EQ(payload.size(), sizeof record);
    std::memcpy(&record, payload.data(), sizeof record);
    return record;
  }

  Database database_{3, 2, {.subscribers_per_worker = kPerNode / 2}};
  txn::Schema schema_ = database_.schema();
};

TEST_F(TatpDatabase, KeysOfDifferentRecordsDiffer) {
  std::set<txn::Key> infos;
  std::set<txn::Key> facilities;
  std::set<txn::Key> forwardings;
  for (std::uint64_t subscriber = 0; subscriber < 4000; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      EXPECT_TRUE(infos.insert(database_.access_info_key(subscriber, type)).second);
      EXPECT_TRUE(facilities.insert(database_.special_facility_key(subscriber, type)).second);
      for (std::uint32_t start = 0; start < kStartTimes; ++start) {
        const txn::Key key = database_.call_forwarding_key(subscriber, type, start);
        EXPECT_TRUE(forwardings.insert(key).second);
      }
    }
  }
}

TEST_F(TatpDatabase, EverySubscriberHasOneToFourOfEachEquallyOften) {
  using KeyOf = txn::Key (Database::*)(std::uint64_t, std::uint32_t) const;
  const std::map<Table, KeyOf> tables = {{kAccessInfo, &Database::access_info_key},
                                         {kSpecialFacility, &Database::special_facility_key}};
  for (const auto& [table, key_of] : tables) {
    std::array<int, kTypes + 1> subscribers{};
    std::array<int, kTypes> types{};
    for (std::uint64_t subscriber = 0; subscriber < kPerNode; ++subscriber) {
      std::size_t count = 0;
      for (std::uint32_t type = 0; type < kTypes; ++type) {
        const bool there = exists(table, (database_.*key_of)(kPerNode + subscriber, type));
        count += there ? 1 : 0;
        types[type] += there ? 1 : 0;
      }
      ++subscribers[count];
    }
    EXPECT_EQ(subscribers[0], 0);
    for (std::size_t count = 1; count <= kTypes; ++count) {
      EXPECT_NEAR(subscribers[count], kPerNode * 0.25, 300) << count;
    }
    for (const int with_type : types) EXPECT_NEAR(with_type, kPerNode * 0.625, 300);
  }
}

TEST_F(TatpDatabase, FacilitiesHaveNoneToThreeCallForwardings) {
  std::array<int, kStartTimes + 1> facilities{};
  std::array<int, kStartTimes> starts{};
  int all = 0;
  for (std::uint64_t subscriber = 0; subscriber < kPerNode; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      const bool facility =
          exists(kSpecialFacility, database_.special_facility_key(subscriber, type));
      std::size_t count = 0;
      for (std::uint32_t start = 0; start < kStartTimes; ++start) {
        const txn::Key key = database_.call_forwarding_key(subscriber, type, start);
        if (!exists(kCallForwarding, key)) continue;
        EXPECT_TRUE(facility) << "a call forwarding belongs to a facility";
        ++count;
        ++starts[start];
        const auto record = loaded<CallForwarding>(kCallForwarding, 0, key);
        EXPECT_GT(record.end_time, start * 8);
        EXPECT_LE(record.end_time, start * 8 + 8);
      }
      if (facility) {
        ++facilities[count];
        ++all;
      }
    }
  }
  for (const int with_count : facilities) EXPECT_NEAR(with_count, all * 0.25, all * 0.03);
  for (const int with_start : starts) EXPECT_NEAR(with_start, all * 0.5, all * 0.02);
}

TEST_F(TatpDatabase, SubscribersAreKnownByTheirNumbers) {
  EXPECT_EQ(database_.subscribers(), 3 * kPerNode);
  const std::uint64_t subscriber = 2 * kPerNode + 1234;
  EXPECT_EQ(database_.partition(subscriber), 2);
  const txn::Key key = database_.subscriber_key(subscriber);
  EXPECT_EQ(loaded<SubscriberByNumber>(kSubscriberByNumber, 2, key).subscriber, subscriber);
  const auto record = loaded<Subscriber>(kSubscriber, 2, key);
  EXPECT_EQ(std::string(record.number, sizeof record.number), "000000000041234");
}

TEST_F(TatpDatabase, EightyFivePercentOfTheFacilitiesAreActive) {
  int active = 0;
  for (txn::Key pair = 0; pair < 2000; ++pair) {
    for (txn::Key place = 0; place < 5; ++place) {
      active += loaded<SpecialFacility>(kSpecialFacility, 1, pair << 3 | place).is_active ? 1 : 0;
    }
  }
  EXPECT_NEAR(active, 8500, 150);
}

TEST(TatpDatabaseOptions, NeighboursAreFour) {
  EXPECT_THROW(Database(2, 1, {.subscribers_per_worker = 0}), ConfigurationError);
  EXPECT_THROW(Database(2, 3, {.subscribers_per_worker = 2}), ConfigurationError);
  EXPECT_NO_THROW(Database(2, 2, {.subscribers_per_worker = 2}));
}

}  // namespace
}  // namespace verbena::workloads::tatp
