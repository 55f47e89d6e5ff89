// Copying versions, and finding room for them.
#include "txn/nam/versions/overflow.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>

#include "txn/nam/node_options.h"
#include "txn/nam/records/live_memory.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/mover.h"

namespace verbena::txn::nam {

using rdma::Work;

bool MovedVersion::is(const OldHeader& link, const RecordName& name, std::uint64_t entry) const {
  return own == link && record == hint_of(name, entry, link.installs);
}

Overflow::Overflow(const Layout& layout, rdma::FirstTouchMemory& memory,
                   Nanoseconds longest_transaction)
    : layout_(layout), memory_(memory), longest_transaction_(longest_transaction) {}

void Overflow::lock(rdma::Core& core) {
  moving_.lock([&core] {
    core.reach("nam: overflow is in use by another worker");
    core.give_way();
  });
}

bool Overflow::move(const RecordName& name, std::uint64_t entry, WhenFull when_full,
                    rdma::Core& core) {
  lock(core);
  const std::lock_guard guard(moving_, std::adopt_lock);
  headers_.resize(layout_.headers_of_record());
  const std::size_t bytes = headers_.size() * sizeof(OldHeader);
  std::byte* live = at(layout_.headers(name, entry), bytes);
  read_live(live, headers_, core);
  core.spend(Work::kRecordAccess);
  core.spend(Work::kCopyLine, cache_lines(bytes));
  OldHeader newest = headers_.back();
  for (std::uint32_t left = layout_.versions(); left > 0; --left) {
    const std::span old(headers_.data(), layout_.versions());
    const auto open = [](const OldHeader& header) {
      return header.installs != 0 && !moved(header.version);
    };
    const auto earlier = [&](const OldHeader& a, const OldHeader& b) {
      return open(a) && (!open(b) || a.installs < b.installs);
    };
    const auto oldest = std::ranges::min_element(old, earlier);
    if (!open(*oldest)) break;
    // The one before is being written, or was when the CPU came by its place.
    if (oldest->installs > newest.installs + 1) {
      core.reach("nam: next version to be moved is being written");
      return std::ranges::any_of(old, std::not_fn(open));
    }
    // A server that finishes a dead one's transaction writes a header once more.
    if (oldest->installs > newest.installs) {
      const auto added = append(name, entry, *oldest, newest, when_full, core);
      // Versions that are moved may have been so before this call, by the mover.
      if (!added) return std::ranges::any_of(old, std::not_fn(open));
      newest = *added;
      write_live(live + layout_.versions() * sizeof(OldHeader), newest, core);
    }
    oldest->version |= kMoved;
    auto& version =
        *reinterpret_cast<std::uint64_t*>(live + (oldest - old.begin()) * sizeof(OldHeader));
    std::atomic_ref(version).store(oldest->version, std::memory_order_release);
    core.step(live);
  }
  return true;
}

// The line that precedes an image is written behind it, and a version's lines are overwritten from
// the first on, also by several others: so that line is gone before any of the image is.
std::optional<OldHeader> Overflow::append(const RecordName& name, std::uint64_t entry,
                                          const OldHeader& old, const OldHeader& previous,
                                          WhenFull when_full, rdma::Core& core) {
  const ImageFormat& format = layout_.table(name.table).format;
  const std::uint32_t lines = deleted(old.version) ? 1 : 1 + format.lines();
  auto line = make_room(lines, core.now());
  while (!line && when_full == WhenFull::kForget && !kept_.empty()) {
    core.reach("nam: version in overflow forgotten before its time");
    kept_.pop_front();
    line = make_room(lines, core.now());
  }
  if (!line) {
    core.reach("nam: overflow is full");
    return std::nullopt;
  }
  std::byte* to = at(layout_.overflow(name, *line), std::uint64_t{lines} * kCacheLineBytes);
  write_live(to + offsetof(MovedVersion, own), OldHeader{}, core);
  if (!deleted(old.version)) {
    image_.resize(format.bytes());
    const RecordImage image(image_.data());
    const std::uint32_t slot = old.installs % layout_.versions();
    read_live(at(layout_.old(name, entry, slot), format.bytes()), format, image, core);
    assert(format.whole(image) && image.version() == old.version);
    write_live(to + kCacheLineBytes, format, image, core);
  }
  const OldHeader own{.version = old.version, .installs = old.installs, .line = *line};
  write_live(to + offsetof(MovedVersion, record), hint_of(name, entry, old.installs), core);
  write_live(to + offsetof(MovedVersion, previous), previous, core);
  write_live(to + offsetof(MovedVersion, own), own, core);
  core.spend(Work::kCopyLine, 2 * lines);
  core.reach("nam: old version moved to overflow");
  return own;
}

// Versions that came first are of no use first.
std::optional<std::uint32_t> Overflow::make_room(std::uint64_t lines, Nanoseconds now) {
  while (!kept_.empty() && kept_.front().since + with_slack(longest_transaction_) < now) {
    kept_.pop_front();
  }
  if (kept_.empty()) next_ = 0;
  std::uint64_t first = next_;
  std::uint64_t end = layout_.overflow_lines();
  if (!kept_.empty() && kept_.front().first >= next_) {
    end = kept_.front().first;
  } else if (first + lines > end && !kept_.empty()) {
    first = 0;
    end = kept_.front().first;
  }
  if (first + lines > end) return std::nullopt;
  kept_.push_back({.first = first, .since = now});
  next_ = first + lines;
  return static_cast<std::uint32_t>(first);
}

bool Overflow::follows(const RecordName& name, std::uint64_t entry) {
  std::vector<OldHeader> headers(layout_.headers_of_record());
  const std::size_t bytes = headers.size() * sizeof(OldHeader);
  std::memcpy(headers.data(), at(layout_.headers(name, entry), bytes), bytes);
  OldHeader link = headers.back();
  headers.pop_back();
  const auto first = std::ranges::min_element(headers, {}, &OldHeader::installs);
  if (link.installs + 1 < first->installs) return false;
  while (link.installs > kFirstInstall) {
    MovedVersion version;
    std::memcpy(&version, at(layout_.overflow(name, link.line), sizeof version), sizeof version);
    if (!version.is(link, name, entry)) return true;
    if (version.previous.installs + 1 != link.installs) return false;
    link = version.previous;
  }
  return true;
}

void Overflow::forget(const RecordName& name, std::uint64_t entry, rdma::Core& core) {
  lock(core);
  const std::lock_guard guard(moving_, std::adopt_lock);
  const std::size_t count = layout_.headers_of_record();
  clear_live(at(layout_.headers(name, entry), count * sizeof(OldHeader)), count);
}

}  // namespace verbena::txn::nam
