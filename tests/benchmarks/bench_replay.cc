// The replay of what clients saw, alone: attempts of four accesses each, of clients that take
// turns.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "rdma/base/random.h"
#include "txn/check/replay/serializability_check.h"
#include "txn/client_history.h"
#include "txn/schema/table.h"
#include "txn/system_info.h"

namespace verbena {
namespace {

constexpr std::uint64_t kRecords = 200'000;
constexpr std::uint32_t kClients = 64;
constexpr std::uint32_t kAccesses = 4;
constexpr std::uint64_t kBatch = 8192;

/// An execution that is right: each attempt begins, is placed and ends before the next one ends.
class Clients {
 public:
  Clients() : values_(kRecords), began_(kClients) {
    for (txn::Moment& began : began_) began = ++now_;
    initial_ = txn::digest_of(std::vector<std::byte>(8));
    values_.assign(kRecords, initial_);
  }

  txn::ClientHistory attempts(std::uint64_t count) {
    txn::ClientHistory history;
    for (std::uint64_t i = 0; i < count; ++i) add(history);
    return history;
  }

  /// When the oldest of those began that have not ended.
  txn::Moment oldest() const { return began_[turn_]; }

 private:
  void add(txn::ClientHistory& history) {
    txn::ClientAttempt attempt;
    attempt.client.fiber = static_cast<std::uint16_t>(turn_);
    attempt.outcome = txn::Outcome::kCommitted;
    attempt.began = began_[turn_];
    attempt.placed = ++now_;
    attempt.first_access = static_cast<std::uint32_t>(history.all_accesses.size());
    attempt.accesses = kAccesses;
    const bool writes = random_.below(2) == 0;
    std::uint64_t key = random_.below(kRecords);
    for (std::uint32_t a = 0; a < kAccesses; ++a) {
      key = (key + 1 + random_.below(1000)) % kRecords;
      txn::ClientAccess access{.record = {.table = 0, .partition = 0, .key = key},
                               .read = values_[key],
                               .fetched = true,
                               .writes = writes};
      if (writes) values_[key] = access.written = ++written_;
      history.all_accesses.push_back(access);
    }
    attempt.ended = ++now_;
    history.attempts.push_back(attempt);
    began_[turn_] = ++now_;
    turn_ = (turn_ + 1) % kClients;
  }

  Random random_{1};
  std::vector<txn::ValueDigest> values_;
  std::vector<txn::Moment> began_;
  txn::Moment now_ = 0;
  std::uint32_t turn_ = 0;
  txn::ValueDigest initial_ = 0;
  txn::ValueDigest written_ = 1;
};

txn::Schema schema() {
  return {{.name = "records", .payload_bytes = 8, .initial_records = kRecords}};
}

// Readers' values are those of their end, which lies within their time.
void in_one_piece(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const txn::ClientHistory history = Clients().attempts(count);
  for (auto _ : state) {
    txn::SerializabilityCheck check(schema(), txn::Isolation::kStrictSerializability);
    check.add(history);
    check.finish();
    if (check.anomaly()) state.SkipWithError("an anomaly");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void in_batches(benchmark::State& state) {
  const auto batches = static_cast<std::uint64_t>(state.range(0)) / kBatch;
  for (auto _ : state) {
    Clients clients;
    txn::SerializabilityCheck check(schema(), txn::Isolation::kStrictSerializability);
    for (std::uint64_t i = 0; i < batches; ++i) {
      check.add(clients.attempts(kBatch));
      check.replay(clients.oldest());
    }
    check.finish();
    if (check.anomaly()) state.SkipWithError("an anomaly");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batches * kBatch));
}

BENCHMARK(in_one_piece)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(in_batches)
    ->Arg(1'000'000)
    ->Arg(15'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace verbena

BENCHMARK_MAIN();
