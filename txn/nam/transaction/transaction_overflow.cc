// Versions in overflow, and places for new ones.
#include <algorithm>
#include <cassert>

#include "txn/nam/records/version.h"
#include "txn/nam/transaction/transaction.h"
#include "txn/nam/versions/mover.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {
namespace {

// As it was read.
MovedVersion moved_version(const OldHeader* cells) {
  return {.own = cells[0], .record = cells[1], .previous = cells[2]};
}

}  // namespace

// Each link tells the version that it leads to, so that only what the snapshot holds is read whole.
// A version that is not what its link says was forgotten, and with it those before. So no link is
// believed before what it leads to was seen, also where it leads to a version without an image.
void NamTransaction::follow(Access& access, const OldHeader& link) {
  access.link = link;
  if (link.installs == 0) return lose(access, Abort::kSnapshotTooOld, access.image.version());
  access.state = visible(link.version) && !deleted(link.version) ? State::kMoved : State::kLink;
}

void NamTransaction::take_link(Access& access, Item& item) {
  const MovedVersion version = moved_version(access.headers);
  if (!version.is(access.link, access.name, *access.entry)) return follow(access, OldHeader{});
  if (!visible(access.link.version)) return follow(access, version.previous);
  worker_.core().reach("nam: overflow tells that a record was not there");
  settle(access, item, false);
}

// What precedes an image is READ behind it, and overwritten before it (Overflow::append): where
// that is still there, the image was.
void NamTransaction::take_moved(Access& access, Item& item) {
  const MovedVersion version = moved_version(access.headers);
  if (!version.is(access.link, access.name, *access.entry)) return follow(access, OldHeader{});
  assert(table(access).format.whole(access.image) && access.image.version() == access.link.version);
  worker_.core().reach("nam: version read in overflow");
  settle(access, item, true);
}

// Nothing: no version that is kept is in the snapshot.
std::optional<bool> NamTransaction::present_in_overflow(const Scanned& scanned) {
  OldHeader link = scanned.headers[layout_.versions()];
  while (link.installs != 0) {
    worker_.core().reach("nam: scan looks into overflow");
    metrics_.count(worker_.now(), Counter::kOverflowReads);
    servers_.read_headers(layout_.overflow(scanned_name_, link.line), scanned.headers,
                          kCellsOfMoved);
    servers_.post();
    servers_.wait();
    if (!check_age()) return std::nullopt;
    const MovedVersion version = moved_version(scanned.headers);
    if (!version.is(link, scanned_name_, scanned.listed.entry)) return std::nullopt;
    if (visible(link.version)) return !deleted(link.version);
    link = version.previous;
  }
  return std::nullopt;
}

// Whether the place is in use that the version with this number needs when it is replaced. Nobody
// but who has locked the record uses its places.
bool NamTransaction::blocked(const Access& access, std::uint32_t installs) const {
  if (!access.headers_read) return true;
  const OldHeader& there = access.headers[installs % layout_.versions()];
  return there.installs != 0 && !moved(there.version);
}

// What stands in a place is overwritten when it has been moved.
bool NamTransaction::make_room() {
  if (!layout_.overflows()) return true;
  blocked_.clear();
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!items_[i].written) continue;
    if (blocked(accesses_[i], accesses_[i].image.installs())) blocked_.push_back(i);
  }
  if (blocked_.empty()) return true;
  move_old_versions();
  return !doomed();
}

// True if the transaction has been tried for long since it first found overflow full.
bool NamTransaction::waits_too_long() const {
  return full_since_ != kNever && worker_.now() - full_since_ >= options_.longest_transaction;
}

void NamTransaction::move_old_versions() {
  worker_.core().reach("nam: old versions have to be moved before new ones are installed");
  metrics_.count(worker_.now(), Counter::kMovesAwaited, blocked_.size());
  step_ = Step::kMoves;
  const bool urgent = waits_too_long();
  call_servers(blocked_, Method::kMove, {}, [urgent](const Access& access) {
    return RecordToMove{.entry = *access.entry,
                        .partition = access.name.partition,
                        .table = access.name.table,
                        .urgent = urgent ? std::uint8_t{1} : std::uint8_t{0},
                        .reserved = {}};
  });
  calls_.wait();
  std::size_t done = 0;
  for (std::size_t call = 0; call < calls_.size(); ++call) {
    done += take_reply<MoveReply>(calls_, call).moved;
  }
  calls_.clear();
  if (done < blocked_.size()) {
    if (full_since_ == kNever) full_since_ = worker_.now();
    return lose(accesses_[blocked_[done]], Abort::kOverflowFull, 0);
  }
  for (const std::size_t i : blocked_) {
    accesses_[i].headers[accesses_[i].image.installs() % layout_.versions()].version |= kMoved;
  }
}

// So that who replaces the new version need not wait. It comes behind what it tells of.
void NamTransaction::hint(const Access& access) {
  const std::uint32_t installs = access.image.installs();
  OldHeader* header = access.headers + layout_.headers_of_record();
  access.headers[installs % layout_.versions()] = *header;
  if (!blocked(access, installs + 1)) return;
  auto* hint = reinterpret_cast<OldHeader*>(allocate(sizeof(OldHeader)));
  *hint = hint_of(access.name, *access.entry, installs);
  servers_.write_header(layout_.hint(access.name, number_, hints_++ % Layout::kHints), hint);
}

}  // namespace verbena::txn::nam
