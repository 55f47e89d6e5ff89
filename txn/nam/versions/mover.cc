// Looking for hints.
#include "txn/nam/versions/mover.h"

#include <array>
#include <span>

#include "txn/nam/records/live_memory.h"

namespace verbena::txn::nam {
namespace {

constexpr Nanoseconds kPause = 5 * kMicrosecond;
constexpr unsigned kTableShift = 32;
constexpr unsigned kPartitionShift = kTableShift + 8 * sizeof(TableId);

}  // namespace

OldHeader hint_of(const RecordName& name, std::uint64_t entry, std::uint32_t installs) {
  return {.version = std::uint64_t{name.partition} << kPartitionShift |
                     std::uint64_t{name.table} << kTableShift | entry,
          .installs = installs};
}

Mover::Mover(const Layout& layout, rdma::FirstTouchMemory& memory, Overflow& overflow)
    : layout_(layout),
      memory_(memory),
      overflow_(overflow),
      seen_(std::size_t{layout.fibers().end()} * Layout::kHints) {}

void Mover::run(rdma::Worker& worker) {
  for (; !worker.over(); worker.sleep_until(worker.now() + kPause)) {
    worker.core().spend(rdma::Work::kPollLine, layout_.fibers().end());
    for (std::uint32_t fiber = 1; fiber < layout_.fibers().end(); ++fiber) look(fiber, worker);
  }
}

void Mover::look(std::uint32_t fiber, rdma::Worker& worker) {
  const PartitionId here = layout_.view().primaries(worker.node()).front();
  const RecordName any{.table = 0, .partition = here, .key = 0};
  std::array<OldHeader, Layout::kHints> cells;
  read_live(memory_.at(layout_.hint(any, fiber, 0).offset, sizeof cells), cells, worker.core());
  for (std::uint32_t place = 0; place < Layout::kHints; ++place) {
    OldHeader& seen = seen_[fiber * Layout::kHints + place];
    if (cells[place].installs == 0 || cells[place] == seen) continue;
    seen = cells[place];
    take(seen, worker);
  }
}

void Mover::take(const OldHeader& hint, rdma::Worker& worker) {
  const RecordName name{.table = static_cast<TableId>(hint.version >> kTableShift),
                        .partition = static_cast<PartitionId>(hint.version >> kPartitionShift),
                        .key = 0};
  worker.core().reach("nam: hint taken");
  // Without room the next writer will ask for it.
  static_cast<void>(
      overflow_.move(name, hint.version & UINT32_MAX, Overflow::WhenFull::kKeep, worker.core()));
}

}  // namespace verbena::txn::nam
