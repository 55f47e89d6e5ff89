// The check of single records, alone: clients that take turns read, write, step and erase.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "txn/check/registers/register_check.h"
#include "txn/client_history.h"
#include "txn/schema/table.h"
#include "txn/system_info.h"

namespace verbena {
namespace {

constexpr std::uint64_t kBatch = 8192;

struct Mix {
  std::uint64_t records = 1;
  std::uint32_t clients = 1;
  bool skewed = false;         // key k is drawn about as often as 1/k
  std::uint64_t erasures = 0;  // percent of writes
};

/// An execution that is right: half of the operations read, a quarter write, a quarter step; each
/// happens at some time between its begin and its end, while the other clients' do.
class Clients {
 public:
  explicit Clients(const Mix& mix) : mix_(mix), values_(mix.records), running_(mix.clients) {
    const txn::ValueDigest loaded = txn::digest_of(std::vector<std::byte>(8));
    std::ranges::fill(values_, loaded);
    for (Running& running : running_) begin(running);
  }

  txn::ClientHistory attempts(std::uint64_t count) {
    txn::ClientHistory history;
    while (history.attempts.size() < count) {
      const std::uint64_t client = random_.below(mix_.clients);
      Running& running = running_[client];
      if (!std::exchange(running.happened, true)) {
        happen(running.access);
        continue;
      }
      add(history, client, txn::Outcome::kCommitted);
      begin(running);
    }
    return history;
  }

  /// Attempts that have not ended.
  txn::ClientHistory unfinished() {
    txn::ClientHistory history;
    for (std::uint64_t client = 0; client < running_.size(); ++client) {
      add(history, client, txn::Outcome::kUnknown);
    }
    return history;
  }

  /// When the oldest of those began that have not ended.
  txn::Moment oldest() const {
    txn::Moment oldest = now_;
    for (const Running& running : running_) oldest = std::min(oldest, running.began);
    return oldest;
  }

 private:
  struct Running {
    txn::ClientAccess access;
    txn::Moment began = 0;
    std::uint64_t sequence = 0;
    bool happened = false;
  };

  void add(txn::ClientHistory& history, std::uint64_t client, txn::Outcome outcome) {
    Running& running = running_[client];
    txn::ClientAttempt attempt;
    attempt.client.fiber = static_cast<std::uint16_t>(client);
    attempt.sequence = ++running.sequence;
    attempt.outcome = outcome;
    attempt.began = running.began;
    attempt.ended = ++now_;
    attempt.first_access = static_cast<std::uint32_t>(history.all_accesses.size());
    attempt.accesses = 1;
    history.all_accesses.push_back(running.access);
    history.attempts.push_back(attempt);
  }

  void begin(Running& running) {
    std::uint64_t key = random_.below(mix_.records);
    if (mix_.skewed) {
      const double share = static_cast<double>(random_.below(1 << 30)) / (1 << 30);
      key = static_cast<std::uint64_t>(std::pow(static_cast<double>(mix_.records), share)) - 1;
    }
    const std::uint64_t kind = random_.below(4);
    running.access = {.record = {.table = 0, .partition = 0, .key = key},
                      .fetched = kind != 0,
                      .writes = kind < 2};
    running.began = ++now_;
    running.happened = false;
  }

  void happen(txn::ClientAccess& access) {
    txn::ValueDigest& value = values_[access.record.key];
    if (access.fetched) access.read = value;
    if (!access.writes) return;
    const bool erases = random_.below(100) < mix_.erasures;
    value = access.written = erases ? txn::kAbsentValue : ++written_;
  }

  const Mix mix_;
  Random random_{1};
  std::vector<txn::ValueDigest> values_;
  std::vector<Running> running_;
  txn::Moment now_ = 0;
  txn::ValueDigest written_ = 1;
};

double resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// A million operations; counters: what was not checked, and by how much the process has grown for
// each operation at most.
void check(benchmark::State& state, const Mix& mix) {
  constexpr std::uint64_t kBatches = 123;
  const txn::Schema schema = {
      {.name = "records", .payload_bytes = 8, .initial_records = mix.records}};
  for (auto _ : state) {
    state.PauseTiming();
    Clients clients(mix);
    const double before = resident_bytes();
    txn::RegisterCheck check(schema, txn::Isolation::kLinearizableRegisters);
    state.ResumeTiming();
    for (std::uint64_t i = 0; i < kBatches; ++i) {
      state.PauseTiming();
      txn::ClientHistory history = clients.attempts(kBatch);
      state.ResumeTiming();
      check.add(std::move(history));
      check.replay(clients.oldest());
    }
    check.add(clients.unfinished());
    check.finish();
    if (check.anomaly()) state.SkipWithError("an anomaly");
    state.counters["undecided"] = static_cast<double>(check.undecided());
    state.counters["bytes"] = (resident_bytes() - before) / (kBatches * kBatch);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatches * kBatch));
}

void one_record(benchmark::State& state) { check(state, {.records = 1, .clients = 64}); }
void one_record_erased(benchmark::State& state) {
  check(state, {.records = 1, .clients = 16, .erasures = 30});
}
void skewed(benchmark::State& state) {
  check(state, {.records = 100'000, .clients = 64, .skewed = true, .erasures = 30});
}
void many_clients_erased(benchmark::State& state) {
  check(state, {.records = 1, .clients = 64, .erasures = 30});
}
void uniform(benchmark::State& state) {
  check(state, {.records = 200'000, .clients = 64, .erasures = 30});
}

BENCHMARK(uniform)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(skewed)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(one_record)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(one_record_erased)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(many_clients_erased)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace verbena

BENCHMARK_MAIN();
