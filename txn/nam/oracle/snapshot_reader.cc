// READs of the vector.
#include "txn/nam/oracle/snapshot_reader.h"

#include <algorithm>
#include <utility>

#include "txn/nam/oracle/vector_reads.h"

namespace verbena::txn::nam {
namespace {

std::span<std::uint32_t> allocate(rdma::Worker& worker, const Layout& layout) {
  const std::span<std::byte> memory = worker.allocate_scratch(layout.vector().bytes());
  return {reinterpret_cast<std::uint32_t*>(memory.data()), layout.vector().slots()};
}

}  // namespace

SnapshotReader::SnapshotReader(rdma::Worker& worker, const Layout& layout, bool stable,
                               WorkerMetrics& metrics)
    : worker_(worker),
      layout_(layout),
      stable_(stable && layout.vector().bytes() > kCacheLineBytes),
      metrics_(metrics),
      counts_(allocate(worker, layout)),
      next_(allocate(worker, layout)),
      batch_(worker.connections()) {}

std::size_t SnapshotReader::scratch_bytes(const Layout& layout) {
  return 2 * layout.vector().bytes();
}

std::span<const std::uint32_t> SnapshotReader::read() {
  read_into(next_);
  if (stable_) {
    for (;;) {
      std::swap(counts_, next_);
      read_into(next_);
      if (std::ranges::equal(counts_, next_)) break;
      worker_.core().reach("nam: vector grows while it is read");
    }
  } else {
    std::ranges::transform(next_, counts_, next_.begin(),
                           [](auto now, auto before) { return std::max(now, before); });
    std::swap(counts_, next_);
  }
  return counts_;
}

void SnapshotReader::read_into(std::span<std::uint32_t> counts) {
  read_vector(batch_, layout_, counts);
  batch_.post();
  batch_.wait();
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(counts.size_bytes()));
  metrics_.count(worker_.now(), Counter::kSnapshots);
}

}  // namespace verbena::txn::nam
