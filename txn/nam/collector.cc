// READing the vector, and giving entries up.
#include "txn/nam/collector.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "rdma/one_sided/request_batch.h"
#include "txn/nam/vector_reads.h"
#include "txn/nam/version.h"

namespace verbena::txn::nam {

bool Collector::takes(const RecordName& name, std::uint64_t entry, std::uint64_t version,
                      Nanoseconds now) {
  if (!layout_.table(name.table).collects()) return false;
  if (!deleted(version) || !horizon_.holds(stamp_of(version), now)) return false;
  const std::lock_guard guard(adding_);
  found_.insert({.name = name, .entry = entry, .version = version});
  return true;
}

std::vector<Collector::Found> Collector::take_found() {
  const std::lock_guard guard(adding_);
  std::vector<Found> found;
  while (!found_.empty() && found.size() < kAtOnce) {
    found.push_back(found_.extract(found_.begin()).value());
  }
  return found;
}

void Collector::read_vector(rdma::RequestBatch& batch, std::span<std::byte> memory,
                            rdma::Worker& worker) {
  const std::span counts(reinterpret_cast<std::uint32_t*>(memory.data()), layout_.slots());
  nam::read_vector(batch, layout_, counts);
  batch.post();
  batch.wait();
  worker.core().spend(rdma::Work::kCopyLine, cache_lines(layout_.vector_bytes()));
  horizon_.add(worker.now(), counts);
}

void Collector::run(rdma::Worker& worker, const IndexOf& index_of) {
  // Nobody wakes it when the run is over.
  const Nanoseconds pause = std::min(longest_transaction_ / 4, kMillisecond);
  const std::span<std::byte> vector = worker.allocate_scratch(layout_.vector_bytes());
  std::array<std::uint64_t, kAtOnce> locks;
  rdma::RequestBatch batch(worker.connections());
  for (Nanoseconds next = worker.now(); !worker.over(); worker.sleep_until(worker.now() + pause)) {
    if (worker.now() >= next) {
      read_vector(batch, vector, worker);
      next = worker.now() + longest_transaction_ / 4;
    }
    for (std::vector<Found> found = take_found(); !found.empty(); found = take_found()) {
      give_up(batch, found, locks, worker, index_of);
      worker.yield();
    }
  }
}

void Collector::give_up(rdma::RequestBatch& batch, const std::vector<Found>& found,
                        std::span<std::uint64_t> locks, rdma::Worker& worker,
                        const IndexOf& index_of) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    batch.compare_and_swap(layout_.current(found[i].name, found[i].entry), found[i].version,
                           kGivenUp, &locks[i]);
  }
  batch.post();
  batch.wait();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (locks[i] != found[i].version) {
      worker.core().reach("nam: erased record is not as it was when it is taken out");
      continue;
    }
    worker.core().spend(rdma::Work::kIndexInsert);
    KeyIndex& index = index_of(found[i].name.partition, found[i].name.table);
    // Since it was found the entry may have become another key's, which was erased, too.
    index.remove(index.key_in(found[i].entry), static_cast<std::uint32_t>(found[i].entry),
                 worker.core());
  }
}

}  // namespace verbena::txn::nam
