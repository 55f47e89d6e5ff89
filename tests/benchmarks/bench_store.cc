// Time to insert, erase, find and scan records of a table that is keyed like TPC-C's order lines.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>

#include "rdma/base/random.h"
#include "txn/store/lock_word.h"
#include "txn/store/store.h"

namespace verbena::txn {
namespace {

constexpr std::uint64_t kDistricts = 240;
constexpr std::uint64_t kOrders = 3000;
constexpr std::uint64_t kLines = 10;
constexpr std::uint64_t kInsertedOrders = 2000;  // per district

constexpr Key key_of(std::uint64_t district, std::uint64_t order, std::uint64_t line) {
  return district << 40 | order << 8 | line;
}

// A node with one partition; inserts go on from order kOrders in every district.
struct Node {
  explicit Node(bool ordered)
      : schema{{.name = "order lines",
                .payload_bytes = 54,
                .initial_records = kDistricts * kOrders * kLines,
                .insert_capacity = kDistricts * kInsertedOrders * kLines,
                .key_levels = {{kDistricts, 40}, {kOrders, 8}, {kLines, 0}},
                .ordered = ordered}} {
    next_order.fill(kOrders);
  }

  void insert_order(std::uint64_t district) {
    const std::uint64_t order = next_order[district]++;
    for (std::uint64_t line = 0; line < kLines; ++line) {
      benchmark::DoNotOptimize(store.reserve(0, key_of(district, order, line), 0, nullptr));
    }
  }

  Schema schema;
  StoreLayout layout{schema, {.nodes = 1, .replicas = 1}};
  rdma::FirstTouchMemory memory{"store", layout.region_bytes(), layout.loader(schema, 0)};
  Store store{layout, 0, memory};
  std::array<std::uint64_t, kDistricts> next_order{};
};

// Districts are chosen at random, as warehouses are.
void insert_lines(benchmark::State& state) {
  Node node(state.range(0) != 0);
  Random random(1);
  for (auto _ : state) {
    std::uint64_t district = random.below(kDistricts);
    while (node.next_order[district] == kOrders + kInsertedOrders) {
      district = (district + 1) % kDistricts;
    }
    node.insert_order(district);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLines));
}
BENCHMARK(insert_lines)->Arg(0)->Arg(1)->ArgName("ordered")->Iterations(300'000);

// A queue in every district: what comes in at one end leaves at the other.
void insert_and_erase_lines(benchmark::State& state) {
  Node node(true);
  std::array<std::uint64_t, kDistricts> oldest{};
  Random random(1);
  const RecordFormat& format = node.layout.table(0).format;
  for (auto _ : state) {
    const std::uint64_t district = random.below(kDistricts);
    for (std::uint64_t line = 0; line < kLines; ++line) {
      const Key key = key_of(district, oldest[district], line);
      const std::uint32_t entry = node.store.find_at_rest(0, 0, key).value();
      std::byte* live = node.store.record(0, 0, entry);
      const std::uint64_t erased = next_version(load_word(live + kVersionOffset), false);
      node.store.unindex(0, key, entry, erased, nullptr);
      format.write_absent(live, erased, key);
    }
    ++oldest[district];
    node.insert_order(district);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLines));
}
BENCHMARK(insert_and_erase_lines)->Iterations(300'000);

void find_initial(benchmark::State& state) {
  Node node(true);
  Random random(1);
  for (auto _ : state) {
    const Key key = key_of(random.below(kDistricts), random.below(300), random.below(kLines));
    benchmark::DoNotOptimize(node.store.find_at_rest(0, 0, key));
  }
}
BENCHMARK(find_initial)->Iterations(3'000'000);

// The lines of a district's last twenty orders, as in TPC-C's stock-level: initial ones or inserted
// ones.
void scan_lines(benchmark::State& state) {
  Node node(true);
  const bool inserted = state.range(0) != 0;
  if (inserted) {
    for (std::uint64_t i = 0; i < kDistricts * 100; ++i) node.insert_order(i % kDistricts);
    node.memory.fill_all(1);
    for (std::uint64_t entry = kDistricts * kOrders * kLines; entry < node.store.used_entries(0, 0);
         ++entry) {
      store_word(node.store.record(0, 0, static_cast<std::uint32_t>(entry)) + kVersionOffset, 1);
    }
  }
  Random random(1);
  const std::uint64_t end = inserted ? kOrders + 100 : kOrders;
  std::int64_t lines = 0;
  for (auto _ : state) {
    const std::uint64_t district = random.below(kDistricts);
    node.store.scan(0, key_of(district, end - 20, 0), key_of(district, end, 0), false,
                    [&](Key, std::uint32_t) {
                      ++lines;
                      return true;
                    });
  }
  state.SetItemsProcessed(lines);
}
BENCHMARK(scan_lines)->Arg(0)->Arg(1)->ArgName("inserted");

// A district's oldest order, where all but the last hundred have been erased.
void first_of_queue(benchmark::State& state) {
  Node node(true);
  for (std::uint64_t district = 0; district < kDistricts; ++district) {
    for (std::uint64_t order = 0; order < kOrders - 100; ++order) {
      for (std::uint64_t line = 0; line < kLines; ++line) {
        const Key key = key_of(district, order, line);
        const std::uint64_t index = node.schema[0].initial_index(key).value();
        node.store.unindex(0, key, static_cast<std::uint32_t>(index), 2 | kAbsent, nullptr);
      }
    }
  }
  Random random(1);
  for (auto _ : state) {
    const std::uint64_t district = random.below(kDistricts);
    node.store.scan(0, key_of(district, 0, 0), key_of(district + 1, 0, 0) - 1, false,
                    [](Key key, std::uint32_t) {
                      benchmark::DoNotOptimize(key);
                      return false;
                    });
  }
}
BENCHMARK(first_of_queue);

// Sets up what one node of the paper's cluster would for TPC-C, primary copy and two backups.
void set_up(benchmark::State& state) {
  const Schema schema{{.name = "order lines",
                       .payload_bytes = 54,
                       .initial_records = 3840 * kOrders * kLines,
                       .insert_capacity = 3840 * kOrders,
                       .key_levels = {{3840, 40}, {kOrders, 8}, {kLines, 0}},
                       .ordered = true}};
  for (auto _ : state) {
    const StoreLayout layout(schema, {.nodes = 16, .replicas = 3});
    rdma::FirstTouchMemory memory("store", layout.region_bytes(), layout.loader(schema, 0));
    const Store store(layout, 0, memory);
    benchmark::DoNotOptimize(store.node());
  }
}
BENCHMARK(set_up)->Unit(benchmark::kMicrosecond);

// Threads of one node that insert into districts chosen at random.
void insert_lines_threads(benchmark::State& state) {
  static std::unique_ptr<Node> node;
  if (state.thread_index() == 0) {
    node = std::make_unique<Node>(true);
    node->memory.fill_all(2);
  }
  const auto threads = static_cast<std::uint64_t>(state.threads());
  const auto first = static_cast<std::uint64_t>(state.thread_index());
  Random random(first);
  for (auto _ : state) {
    // The orders of a district are one thread's, as if its worker held the district's lock.
    const std::uint64_t district = random.below(kDistricts / threads) * threads + first;
    node->insert_order(district);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLines));
}
BENCHMARK(insert_lines_threads)->ThreadRange(1, 2)->Iterations(150'000)->UseRealTime();

}  // namespace
}  // namespace verbena::txn

BENCHMARK_MAIN();
