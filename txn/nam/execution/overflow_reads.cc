// Following links through overflow.
#include "txn/nam/execution/overflow_reads.h"

#include <cassert>

#include "txn/nam/records/version.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {
namespace {

// As it was read.
MovedVersion moved_version(const OldHeader* cells) {
  return {.own = cells[0], .record = cells[1], .previous = cells[2]};
}

}  // namespace

void OverflowReads::follow(Access& access, const OldHeader& link) {
  if (link.installs == 0) {
    return attempt_.lose(access.name(), Abort::kSnapshotTooOld, access.image().version());
  }
  access.follow(link, attempt_.snapshot().holds(link.version) && !deleted(link.version));
}

void OverflowReads::read_link(const RecordName& name, const OldHeader& link, OldHeader* cells) {
  attempt_.servers().read_headers(attempt_.layout().overflow(name, link.line), cells,
                                  kCellsOfMoved);
}

void OverflowReads::request_link(Access& access) {
  attempt_.count(Counter::kOverflowReads);
  read_link(access.name(), access.link(), access.headers());
}

// The line that precedes an image is READ behind it, and overwritten before it
// (Overflow::append): where that is still there, the image was.
void OverflowReads::request_moved(Access& access) {
  attempt_.count(Counter::kOverflowReads);
  attempt_.servers().read_image(attempt_.layout().overflow(access.name(), access.link().line + 1),
                                access.image(), accesses_.table(access).format);
  read_link(access.name(), access.link(), access.headers());
}

void OverflowReads::take_link(Access& access) {
  const MovedVersion version = moved_version(access.headers());
  if (!version.is(access.link(), access.name(), access.entry())) {
    return follow(access, OldHeader{});
  }
  if (!attempt_.snapshot().holds(access.link().version)) return follow(access, version.previous);
  attempt_.reach("nam: overflow tells that a record was not there");
  accesses_.settle(access, false);
}

void OverflowReads::take_moved(Access& access) {
  const MovedVersion version = moved_version(access.headers());
  if (!version.is(access.link(), access.name(), access.entry())) {
    return follow(access, OldHeader{});
  }
  assert(accesses_.table(access).format.whole(access.image()) &&
         access.image().version() == access.link().version);
  attempt_.reach("nam: version read in overflow");
  accesses_.settle(access, true);
}

std::optional<bool> OverflowReads::present(const RecordName& name, std::uint64_t entry,
                                           OldHeader link, OldHeader* cells) {
  while (link.installs != 0) {
    attempt_.reach("nam: scan looks into overflow");
    attempt_.count(Counter::kOverflowReads);
    read_link(name, link, cells);
    attempt_.access_servers();
    if (!attempt_.check_age()) return std::nullopt;
    const MovedVersion version = moved_version(cells);
    if (!version.is(link, name, entry)) return std::nullopt;
    if (attempt_.snapshot().holds(link.version)) return !deleted(link.version);
    link = version.previous;
  }
  return std::nullopt;
}

}  // namespace verbena::txn::nam
