// READing the vector, and giving entries up.
#include "txn/nam/index/collector.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>

#include "rdma/one_sided/request_batch.h"
#include "txn/nam/oracle/vector_reads.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

bool Collector::takes(const RecordName& name, std::uint64_t entry, std::uint64_t version,
                      Nanoseconds now) {
  if (!layout_.table(name.table).collects()) return false;
  if (!deleted(version) || !horizon_.holds(stamp_of(version), now)) return false;
  const std::lock_guard guard(adding_);
  found_.insert({.name = name, .entry = entry, .version = version});
  return true;
}

void Collector::was_set_aside(const RecordName& name, std::uint64_t entry, std::uint64_t version) {
  const std::lock_guard guard(adding_);
  aside_.push_back({.name = name, .entry = entry, .version = version});
}

std::vector<Collector::Found> Collector::take_found(Nanoseconds now) {
  const std::lock_guard guard(adding_);
  std::vector<Found> found;
  while (!aside_.empty() && found.size() < kAtOnce &&
         horizon_.holds(stamp_of(aside_.front().version), now)) {
    found.push_back(aside_.front());
    aside_.pop_front();
  }
  while (!found_.empty() && found.size() < kAtOnce) {
    found.push_back(found_.extract(found_.begin()).value());
  }
  return found;
}

void Collector::read_vector(rdma::RequestBatch& batch, std::span<std::byte> memory,
                            rdma::Worker& worker) {
  const std::span counts(reinterpret_cast<std::uint32_t*>(memory.data()), layout_.vector().slots());
  nam::read_vector(batch, layout_, counts);
  batch.post();
  batch.wait();
  worker.core().spend(rdma::Work::kCopyLine, cache_lines(layout_.vector().bytes()));
  vectors_.add(counts);
  if (worker.now() < next_past_) return;
  horizon_.add(worker.now(), counts);
  next_past_ = worker.now() + longest_transaction_ / 4;
}

void Collector::run(rdma::Worker& worker, const IndexOf& index_of) {
  // Nobody wakes it when the run is over.
  const Nanoseconds pause = std::min(longest_transaction_ / 4, kMillisecond);
  const std::span<std::byte> vector = worker.allocate_scratch(layout_.vector().bytes());
  std::array<std::uint64_t, kAtOnce> locks;
  rdma::RequestBatch batch(worker.connections());
  for (; !worker.over(); worker.sleep_until(worker.now() + pause)) {
    read_vector(batch, vector, worker);
    std::vector<Found> in_use;
    for (auto found = take_found(worker.now()); !found.empty(); found = take_found(worker.now())) {
      std::ranges::copy(give_up(batch, found, locks, worker, index_of), std::back_inserter(in_use));
      worker.yield();
    }
    try_again(in_use);
  }
}

// Scans do not come upon what is set aside, so nobody else finds it again.
void Collector::try_again(const std::vector<Found>& found) {
  const std::lock_guard guard(adding_);
  std::ranges::copy(found, std::back_inserter(aside_));
}

// Returns those that are locked.
std::vector<Collector::Found> Collector::give_up(rdma::RequestBatch& batch,
                                                 const std::vector<Found>& found,
                                                 std::span<std::uint64_t> locks,
                                                 rdma::Worker& worker, const IndexOf& index_of) {
  std::vector<Found> in_use;
  for (std::size_t i = 0; i < found.size(); ++i) {
    batch.compare_and_swap(layout_.current(found[i].name, found[i].entry), found[i].version,
                           kGivenUp, &locks[i]);
  }
  batch.post();
  batch.wait();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (locks[i] != found[i].version) {
      worker.core().reach("nam: erased record is not as it was when it is taken out");
      if (locked(locks[i]) && locks[i] != kGivenUp) in_use.push_back(found[i]);
      continue;
    }
    worker.core().spend(rdma::Work::kIndexInsert);
    KeyIndex& index = index_of(found[i].name.partition, found[i].name.table);
    // Since it was found the entry may have become another key's, which was erased, too.
    index.remove(index.key_in(found[i].entry), static_cast<std::uint32_t>(found[i].entry),
                 worker.core());
  }
  return in_use;
}

}  // namespace verbena::txn::nam
