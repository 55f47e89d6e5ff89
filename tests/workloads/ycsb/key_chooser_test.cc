// Records are chosen by their popularity, over all nodes; insertions have keys of their own.
#include "workloads/ycsb/key_chooser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace verbena::workloads::ycsb {
namespace {

constexpr KeySpace kSpace = {.nodes = 3, .records_per_node = 40};
constexpr int kDraws = 200'000;

KeyChoice choice(Distribution distribution, double s = 0.99,
                 std::optional<std::uint32_t> local_percent = std::nullopt) {
  return {kSpace, distribution, s, local_percent};
}

std::map<Place, double> shares(const KeyChooser& chooser) {
  std::map<Place, double> shares;
  Random random(1);
  for (int i = 0; i < kDraws; ++i) shares[chooser.existing(random)] += 1.0 / kDraws;
  return shares;
}

double rank_share(std::uint64_t rank, double s) {
  double sum = 0;
  for (std::uint64_t k = 1; k <= kSpace.records(); ++k) {
    sum += std::pow(static_cast<double>(k), -s);
  }
  return std::pow(static_cast<double>(rank), -s) / sum;
}

TEST(KeySpace, GivesEveryNodeAsManyRecords) {
  std::set<Place> places;
  for (std::uint64_t number = 0; number < kSpace.records(); ++number) {
    const Place place = kSpace.place(number);
    EXPECT_LT(place.partition, kSpace.nodes);
    EXPECT_LT(place.key >> kSpace.shift(), kSpace.records_per_node);
    places.insert(place);
  }
  EXPECT_EQ(places.size(), kSpace.records());
}

TEST(KeySpace, LeavesRoomBetweenItsKeys) {
  for (const std::uint64_t records : {1ULL, 2ULL, 40ULL, 64ULL, 65ULL, 2'400'000ULL}) {
    const KeySpace space = {.nodes = 3, .records_per_node = records};
    std::set<txn::Key> keys;
    for (const std::uint64_t number : {std::uint64_t{0}, space.records() / 2}) {
      keys.insert(space.place(number).key);
    }
    const txn::Key last = space.place(space.records() - 1).key;
    keys.insert(last);
    for (const txn::Key key : keys) {
      EXPECT_FALSE(KeyChooser::is_inserted(key));
      EXPECT_EQ(key % (txn::Key{1} << space.shift()), 0U) << records;
    }
    const txn::Key end = last + (txn::Key{1} << space.shift());
    EXPECT_LE(end, txn::Key{1} << 63);
    EXPECT_EQ(space.odd_keys(), end / 2);
    EXPECT_GE(space.odd_keys(), std::uint64_t{1} << 61);
  }
}

TEST(KeyChooser, UniformUsesAllRecordsAlike) {
  const KeyChoice uniform = choice(Distribution::kUniform);
  const auto found = shares(KeyChooser(uniform, {}));
  EXPECT_EQ(found.size(), kSpace.records());
  double chi_square = 0;
  const double each = 1.0 / static_cast<double>(kSpace.records());
  for (const auto& [place, share] : found) {
    chi_square += kDraws * (share - each) * (share - each) / each;
  }
  EXPECT_LT(chi_square, 119 + 4 * std::sqrt(2 * 119.0));
}

TEST(KeyChooser, ZipfianGivesEveryRankARecordOfItsOwnAndItsShare) {
  for (const double s : {0.0, 0.5, 0.99, 1.2}) {
    const KeyChoice zipfian = choice(Distribution::kZipfian, s);
    std::map<Place, double> expected;
    for (std::uint64_t rank = 1; rank <= kSpace.records(); ++rank) {
      expected[kSpace.place(zipfian.numbers(rank - 1))] += rank_share(rank, s);
    }
    EXPECT_EQ(expected.size(), kSpace.records());
    const auto found = shares(KeyChooser(zipfian, {}));
    EXPECT_EQ(found.size(), kSpace.records()) << s;
    double chi_square = 0;
    for (const auto& [place, share] : expected) {
      const double drawn = found.contains(place) ? found.at(place) : 0;
      chi_square += kDraws * (drawn - share) * (drawn - share) / share;
    }
    const auto freedom = static_cast<double>(expected.size() - 1);
    EXPECT_LT(chi_square, freedom + 4 * std::sqrt(2 * freedom)) << s;
  }
}

// As often as the uniform distribution, record by record.
TEST(KeyChooser, ZipfianOfCoefficientZeroIsUniform) {
  const KeySpace space = {.nodes = 4, .records_per_node = 2500};
  const KeyChoice zipfian(space, Distribution::kZipfian, 0, std::nullopt);
  const KeyChooser chooser(zipfian, {});
  std::map<Place, int> counts;
  Random random(1);
  for (int i = 0; i < 1'000'000; ++i) ++counts[chooser.existing(random)];
  EXPECT_EQ(counts.size(), space.records());
  for (const auto& [place, count] : counts) EXPECT_NEAR(count, 100, 60);
}

TEST(KeyChooser, LatestBeginsWithTheClientsOwnInsertions) {
  const KeyChoice latest = choice(Distribution::kLatest);
  KeyChooser chooser(latest, {});
  const Place last_initial = kSpace.place(kSpace.records() - 1);
  EXPECT_NEAR(shares(chooser)[last_initial], rank_share(1, 0.99), 0.005);
  std::vector<Place> inserted;
  for (int i = 0; i < 5; ++i) {
    inserted.push_back(chooser.insertion(0));
    chooser.inserted(1);
  }
  auto found = shares(chooser);
  for (std::uint64_t rank = 1; rank <= 5; ++rank) {
    EXPECT_NEAR(found[inserted[5 - rank]], rank_share(rank, 0.99), 0.005) << rank;
  }
  EXPECT_NEAR(found[last_initial], rank_share(6, 0.99), 0.005);
}

TEST(KeyChooser, InsertionsOfAllClientsDiffer) {
  const KeyChoice any = choice(Distribution::kUniform);
  std::set<Place> places;
  std::map<txn::PartitionId, int> by_node;
  for (std::uint32_t worker = 0; worker < 6; ++worker) {
    for (std::uint16_t fiber = 0; fiber < 8; ++fiber) {
      KeyChooser chooser(any, {.home = static_cast<txn::PartitionId>(worker % 3),
                               .worker = static_cast<WorkerId>(worker / 3),
                               .fiber = fiber});
      for (int i = 0; i < 100; ++i) {
        const Place next = chooser.insertion(1);
        const Place place = chooser.insertion(0);
        chooser.inserted(1);
        EXPECT_EQ(chooser.insertion(0), next);
        EXPECT_TRUE(places.insert(place).second);
        EXPECT_TRUE(KeyChooser::is_inserted(place.key));
        ++by_node[place.partition];
      }
    }
  }
  for (const auto& [node, count] : by_node) EXPECT_NEAR(count, 1600, 160) << node;
}

TEST(KeyChooser, InsertionsAreSpreadOverTheInitialKeys) {
  const KeyChoice any = choice(Distribution::kUniform);
  std::map<std::uint64_t, double> after;  // how many have keys above an initial one's, by its index
  constexpr int kEach = 500;
  constexpr int kClients = 40;
  for (std::uint16_t fiber = 0; fiber < kClients; ++fiber) {
    const KeyChooser chooser(any, {.home = 1, .worker = 7, .fiber = fiber});
    for (std::uint32_t i = 0; i < kEach; ++i) ++after[chooser.insertion(i).key >> kSpace.shift()];
  }
  EXPECT_EQ(after.size(), kSpace.records_per_node);
  EXPECT_EQ(after.rbegin()->first, kSpace.records_per_node - 1);
  const double each = kEach * kClients / static_cast<double>(kSpace.records_per_node);
  double chi_square = 0;
  for (const auto& [index, count] : after) chi_square += (count - each) * (count - each) / each;
  EXPECT_LT(chi_square, 39 + 4 * std::sqrt(2 * 39.0));
}

TEST(KeyChooser, HasInsertionsForTheLargestClustersLastClient) {
  const KeyChoice least({.nodes = 1, .records_per_node = 1}, Distribution::kUniform, 0,
                        std::nullopt);
  KeyChooser chooser(least, {.home = 4095, .worker = 1023, .fiber = 511});
  chooser.inserted((1U << 30) - 1);
  EXPECT_LT(chooser.insertion(0).key, txn::Key{1} << 63);
}

TEST(KeyChooser, LocalPercentOfKeysAreTheClientsNodes) {
  for (const std::uint32_t percent : {0U, 30U, 100U}) {
    for (const Distribution distribution : {Distribution::kZipfian, Distribution::kLatest}) {
      const KeyChoice local = choice(distribution, 0.99, percent);
      KeyChooser chooser(local, {.home = 1});
      std::map<txn::PartitionId, double> by_node;
      Random random(1);
      for (int i = 0; i < 20'000; ++i) {
        by_node[chooser.existing(random).partition] += 1.0 / 20'000;
      }
      EXPECT_NEAR(by_node[1], percent / 100.0, 0.02);
      EXPECT_NEAR(by_node[0], by_node[2], 0.02);
      double inserted = 0;
      for (std::uint32_t i = 0; i < 10'000; ++i) {
        inserted += chooser.insertion(i).partition == 1 ? 1e-4 : 0;
      }
      EXPECT_NEAR(inserted, percent / 100.0, 0.02);
    }
  }
}

TEST(KeyChooser, ALoneNodeHasAllKeys) {
  const KeyChoice lone({.nodes = 1, .records_per_node = 5}, Distribution::kUniform, 0, 0);
  KeyChooser chooser(lone, {});
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(chooser.existing(random).partition, 0);
  EXPECT_EQ(chooser.insertion(0).partition, 0);
}

}  // namespace
}  // namespace verbena::workloads::ycsb
