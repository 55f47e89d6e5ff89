// Transactions that contend: nothing is lost, every history is strictly serializable, every backup
// equals its primary; and the check notices when validation is left out.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rdma/worker.h"
#include "tests/txn/occ/transaction_cluster.h"
#include "tests/version_check/violation.h"
#include "txn/log/log_record.h"
#include "txn/log/log_ring_memory.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/store/lock_word.h"
#include "txn/store/record.h"

namespace verbena::txn::occ {
namespace {

using testing::by_fabric;

struct Variant {
  std::string name;
  std::string plan;
  bool chaos = false;
  std::string ud_loss = "0";
  std::uint32_t qps_per_peer = 1;
  std::uint32_t words = 1;          // of a payload
  std::uint64_t ring_bytes = 4096;  // small, so that rings wrap and fill up
  std::function<void(Plan&)> change = {};
  bool only_simulated = false;

  friend std::ostream& operator<<(std::ostream& out, const Variant& variant) {
    return out << variant.name;
  }
};

void set_all(Plan& plan, const std::function<void(PhasePlan&)>& set) {
  for (PhasePlan Plan::*phase : {&Plan::execute, &Plan::lock, &Plan::validate, &Plan::log,
                                 &Plan::commit, &Plan::read, &Plan::read_validate}) {
    set(plan.*phase);
  }
}

void one_after_the_other(Plan& plan) {
  set_all(plan, [](PhasePlan& phase) { phase.outstanding = phase.doorbell = false; });
}
void waits_for_commits(Plan& plan) { plan.commit.passive = false; }
void cpu_locks_nic_commits(Plan& plan) {
  plan.lock.primitive = Primitive::kTwoSided;
  plan.commit.primitive = Primitive::kOneSided;
}

std::vector<Variant> variants() {
  std::vector<Variant> all = {
      {.name = "drtmh", .plan = "drtmh"},
      {.name = "one_sided", .plan = "one-sided"},
      {.name = "two_sided", .plan = "two-sided"},
      {.name = "drtmh_chaos", .plan = "drtmh", .chaos = true, .only_simulated = true},
      {.name = "one_sided_chaos", .plan = "one-sided", .chaos = true, .only_simulated = true},
      {.name = "two_sided_chaos", .plan = "two-sided", .chaos = true, .only_simulated = true},
      {.name = "drtmh_loss",
       .plan = "drtmh",
       .chaos = true,
       .ud_loss = "0.02",
       .only_simulated = true},
      {.name = "two_sided_loss",
       .plan = "two-sided",
       .chaos = true,
       .ud_loss = "0.02",
       .only_simulated = true},
      {.name = "one_sided_long_records_chaos",
       .plan = "one-sided",
       .chaos = true,
       .words = 20,
       .ring_bytes = 16384},
      {.name = "two_sided_long_records_chaos",
       .plan = "two-sided",
       .chaos = true,
       .words = 20,
       .ring_bytes = 16384},
      {.name = "mixed_long_records_chaos",
       .plan = "one-sided",
       .chaos = true,
       .words = 20,
       .ring_bytes = 16384,
       .change = cpu_locks_nic_commits},
      {.name = "cpu_locks_nic_commits",
       .plan = "one-sided",
       .chaos = true,
       .change = cpu_locks_nic_commits},
      {.name = "several_queue_pairs", .plan = "drtmh", .chaos = true, .qps_per_peer = 3},
      {.name = "one_sided_one_after_the_other", .plan = "one-sided", .change = one_after_the_other},
      {.name = "two_sided_one_after_the_other", .plan = "two-sided", .change = one_after_the_other},
      {.name = "one_sided_waits_for_commits", .plan = "one-sided", .change = waits_for_commits},
      {.name = "two_sided_waits_for_commits", .plan = "two-sided", .change = waits_for_commits},
  };
  if (testing::on_hardware()) {
    std::erase_if(all, [](const Variant& variant) { return variant.only_simulated; });
  }
  return all;
}

ClusterOptions options_for(const Variant& variant, std::uint64_t seed) {
  ClusterOptions options;
  options.fabric = {.nodes = 3,
                    .workers = 2,
                    .seed = seed,
                    .chaos = variant.chaos,
                    .overrides = {{"fabric.ud_loss", variant.ud_loss}}};
  options.schema = {word_table("words", variant.words, 20)};
  options.plan = plan_preset(variant.plan);
  if (variant.change) variant.change(options.plan);
  options.replicas = 3;
  options.fibers = by_fabric(3U, 1U);
  options.max_records = 4;
  options.log_ring_bytes = variant.ring_bytes;
  options.qps_per_peer = variant.qps_per_peer;
  return options;
}

class Concurrency : public ::testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(Variants, Concurrency, ::testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param.name; });

// Every fiber increments the same few counters.
TEST_P(Concurrency, NoIncrementIsLost) {
  const std::uint64_t rounds = by_fabric(30, 4);
  TransactionCluster cluster(options_for(GetParam(), 1));
  std::atomic<std::uint64_t> increments{0};
  cluster.run([&](Transaction& transaction, const Place& place) {
    Random random(1, place.node, place.worker, place.fiber);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const auto partition = static_cast<PartitionId>(random.below(3));
      TransactionCluster::until_committed(transaction, random, [&] {
        transaction.begin();
        const auto counter = transaction.want(0, partition, 0);
        if (transaction.fetch()) transaction.update<std::uint64_t>(counter) += 1;
        return transaction.commit();
      });
      ++increments;
    }
  });
  std::uint64_t total = 0;
  std::uint64_t versions = 0;
  for (PartitionId partition = 0; partition < 3; ++partition) {
    total += cluster.word({0, partition, 0}) - initial_word(partition, 0);
    versions += cluster.version({0, partition, 0}) - kInitialVersion;
  }
  EXPECT_EQ(total, increments.load());
  EXPECT_EQ(versions, increments.load());
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
}

// One random transaction on few records: reads some, writes some of them. All words of a payload
// are equal at any time.
bool attempt_random(Transaction& transaction, Random& random) {
  const bool read_only = random.below(4) == 0;
  transaction.begin(read_only ? Transaction::Kind::kReadOnly : Transaction::Kind::kReadWrite);
  const std::uint64_t records = 1 + random.below(4);
  for (std::uint64_t i = 0; i < records; ++i) {
    transaction.want(0, static_cast<PartitionId>(random.below(3)), random.below(4));
    if (random.below(3) == 0 && !transaction.fetch()) break;
  }
  if (!transaction.fetch()) return transaction.commit();
  for (Transaction::Handle handle = 0; handle < transaction.records(); ++handle) {
    const auto payload = transaction.payload(handle);
    const std::uint64_t first = load_word(payload.data());
    for (std::size_t at = 0; at < payload.size(); at += 8) {
      EXPECT_EQ(load_word(payload.data() + at), first) << "a torn read";
    }
    if (read_only || random.below(2) == 0) continue;
    const auto words = transaction.update_payload(handle);
    for (std::size_t at = 0; at < words.size(); at += 8) store_word(words.data() + at, first + 1);
  }
  if (random.below(20) == 0) return transaction.roll_back();
  return transaction.commit();
}

void run_random(TransactionCluster& cluster, std::uint64_t seed, std::uint64_t rounds) {
  cluster.run([&](Transaction& transaction, const Place& place) {
    Random random(seed, place.node, place.worker, place.fiber);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      TransactionCluster::until_committed(transaction, random,
                                          [&] { return attempt_random(transaction, random); });
    }
  });
}

TEST_P(Concurrency, EveryHistoryIsStrictlySerializable) {
  for (std::uint64_t seed = 1; seed <= by_fabric(8U, 1U); ++seed) {
    TransactionCluster cluster(options_for(GetParam(), seed));
    run_random(cluster, seed, by_fabric(25, 5));
    EXPECT_EQ(violation_text(strict_serializability_violation(cluster.history())), "")
        << "seed " << seed;
    EXPECT_EQ(cluster.inconsistency(), std::nullopt) << "seed " << seed;
  }
}

// A protocol without validation has to fail the check, or the check would be worth nothing.
TEST(HistoryCheck, NoticesThatValidationIsLeftOut) {
  if (testing::on_hardware()) GTEST_SKIP() << "whether conflicts happen there is up to chance";
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ClusterOptions options = options_for(variants()[1], seed);
    options.plan.skip_validation_for_test = true;
    TransactionCluster cluster(options);
    run_random(cluster, seed, 60);
    if (serializability_violation(cluster.history())) ++noticed;
  }
  EXPECT_EQ(noticed, 5);
}

// Rings of the least size: records wait for space, and padding, wrap-around and reclaiming are
// exercised all the time.
TEST(LogSpace, IsReclaimedAgainAndAgainUnderTheLeastRing) {
  ClusterOptions options = options_for(variants()[0], 1);
  options.max_records = 4;
  options.log_ring_bytes = 384;
  options.fibers = by_fabric(8U, 2U);
  TransactionCluster cluster(options);
  run_random(cluster, 1, by_fabric(60, 5));
  EXPECT_GT(cluster.counter(Counter::kLogBytes), by_fabric(20, 2) * 384U);
  EXPECT_EQ(violation_text(strict_serializability_violation(cluster.history())), "");
  EXPECT_EQ(cluster.inconsistency(), std::nullopt);
  if (!testing::on_hardware()) {
    EXPECT_GE(cluster.counter(Counter::kLogWaits), 1U);
  }
}

// Reserves space at `backup` for a record without updates and composes it there, for `from`.
void log_nothing(TransactionCluster& cluster, const Place& from, NodeId backup) {
  LogSpace& log_space = cluster.coordinator(from.node, from.worker).log_space();
  const std::vector<PartitionId> partitions = {from.home()};
  std::vector<LogSpace::Slot> slots = {{.backup = backup, .bytes = log_frame_bytes(1)}};
  log_space.reserve(from.fiber, slots);
  const LogRingWriter::Space& space = slots[0].space;
  const LogRingMemory ring = cluster.node(backup).ring(from.node, from.worker);
  const LogRingWriter writer = log_space.ring(backup);
  if (space.padding > 0) {
    const std::uint64_t padding = log_padding_word(space.padding);
    ring.write(writer.place(space.position - space.padding), std::as_bytes(std::span(&padding, 1)));
  }
  // Numbers of transactions grow as positions do.
  const std::uint64_t sequence = space.position / 8 + 1;
  const LockOwner owner{.node = from.node,
                        .worker = from.worker,
                        .fiber = from.fiber,
                        .attempt = static_cast<std::uint16_t>(sequence & 0x7fff)};
  alignas(8) std::array<std::byte, log_frame_bytes(1)> record;
  LogRecordWriter(record.data(), space.position, owner.word(), sequence, partitions).finish();
  ring.write(writer.place(space.position), record);
}

// While a transaction that is not decided holds the oldest space, asking the backup is in vain.
TEST(LogSpace, IsNotAskedForWhileNoneCanBeFreed) {
  if (testing::on_hardware()) GTEST_SKIP() << "the order of the two fibers is up to chance";
  ClusterOptions options;
  options.fabric.nodes = 2;
  options.fibers = 2;
  options.log_ring_bytes = 4096;
  TransactionCluster cluster(options);
  LogSpace& log_space = cluster.coordinator(0, 0).log_space();
  rdma::Worker& worker = cluster.coordinator(0, 0).worker();
  const std::uint64_t room = options.log_ring_bytes / log_frame_bytes(1);
  std::uint64_t reserved = 0;
  cluster.run([&](Transaction&, const Place& place) {
    if (place.node != 0) return;
    if (place.fiber == 1) {
      for (; reserved < 5 * room; ++reserved) {
        log_nothing(cluster, place, 1);
        log_space.release(1);
      }
      return;
    }
    log_nothing(cluster, place, 1);
    const std::uint64_t before = worker.counters().calls;
    worker.sleep_until(worker.now() + kMillisecond);
    EXPECT_EQ(reserved, room - 1) << "what fits besides";
    EXPECT_EQ(worker.counters().calls, before);
    log_space.release(0);
  });
  EXPECT_EQ(reserved, 5 * room);
}

// Or workers that begin together and do the same would have their backups apply logs in waves, for
// thousands of transactions.
TEST(LogSpace, RingsThatAreFilledAlikeAreAskedAboutAtDifferentTimes) {
  if (testing::on_hardware()) GTEST_SKIP() << "writes into the memory of other nodes";
  ClusterOptions options;
  options.fabric = {.nodes = 8, .workers = 2};
  TransactionCluster cluster(options);
  constexpr std::uint32_t kHalf = 1024;  // of the bytes about which a backup is asked
  std::map<std::uint32_t, std::uint64_t> asked_by_backup;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> asked_by_worker;
  cluster.run([&](Transaction&, const Place& place) {
    Coordinator& coordinator = cluster.coordinator(place.node, place.worker);
    rdma::Worker& worker = coordinator.worker();
    for (NodeId backup = 0; backup < options.fabric.nodes; ++backup) {
      if (backup == place.node) continue;
      const std::uint64_t before = worker.counters().calls;
      for (std::uint32_t bytes = 0; bytes < kHalf; bytes += log_frame_bytes(1)) {
        log_nothing(cluster, place, backup);
        coordinator.log_space().release(place.fiber);
      }
      worker.sleep_until(worker.now() + kMillisecond);
      const std::uint64_t asked = worker.counters().calls - before;
      asked_by_backup[backup] += asked;
      asked_by_worker[{place.node, place.worker}] += asked;
    }
  });
  for (const auto& [backup, asked] : asked_by_backup) {
    EXPECT_GT(asked, 2U) << "of 14 workers, about backup " << backup;
    EXPECT_LT(asked, 12U) << "of 14 workers, about backup " << backup;
  }
  for (const auto& [worker, asked] : asked_by_worker) {
    EXPECT_GT(asked, 0U) << "of 7 backups, by worker " << worker.second << " of " << worker.first;
    EXPECT_LT(asked, 7U) << "of 7 backups, by worker " << worker.second << " of " << worker.first;
  }
}

TEST(Replication, WorksWithoutBackups) {
  ClusterOptions options = options_for(variants()[0], 1);
  options.replicas = 1;
  TransactionCluster cluster(options);
  run_random(cluster, 1, by_fabric(20, 3));
  EXPECT_EQ(cluster.counter(Counter::kLogRecords), 0U);
  EXPECT_EQ(violation_text(strict_serializability_violation(cluster.history())), "");
}

}  // namespace
}  // namespace verbena::txn::occ
