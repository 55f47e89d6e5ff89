// Reading current versions, headers and old versions, and taking what they tell.
#include "txn/nam/execution/version_search.h"

#include "txn/nam/records/version.h"
#include "txn/nam/versions/version_choice.h"

namespace verbena::txn::nam {

using Intent = AccessSet::Intent;

// A writer finds out by the way whether there is a place for what it will replace.
void VersionSearch::request_current(Access& access) {
  ServerMemory& servers = attempt_.servers();
  const RemoteAddress current = attempt_.layout().current(access.name(), access.entry());
  attempt_.count(Counter::kReads);
  if (servers.own(current)) attempt_.count(Counter::kOwnReads);
  servers.read_image(current, access.image(), accesses_.table(access).format);
  const bool writes = accesses_.item(access).intent != Intent::kRead;
  access.set_headers_read(attempt_.layout().overflows() && writes);
  if (access.headers_read()) request_headers(access);
}

void VersionSearch::request_headers(Access& access) {
  attempt_.servers().read_headers(attempt_.layout().headers(access.name(), access.entry()),
                                  access.headers(), attempt_.layout().headers_of_record());
}

void VersionSearch::request_old(Access& access) {
  attempt_.count(Counter::kOldReads);
  attempt_.servers().read_image(
      attempt_.layout().old(access.name(), access.entry(), access.old_slot()), access.image(),
      accesses_.table(access).format);
}

void VersionSearch::take_current(Access& access) {
  const RecordImage image = access.image();
  if (!accesses_.table(access).format.whole(image)) {
    attempt_.reach("nam: READ of a record is torn");
    attempt_.count(Counter::kTornReads);
    return;
  }
  if (image.lock() == kGivenUp || image.key() != access.name().key) {
    attempt_.reach("nam: entry of an erased record was given up");
    return look_up_.seek_again(access);
  }
  if (attempt_.snapshot().holds(image.version())) return take_visible(access);
  if (accesses_.item(access).intent != Intent::kRead) {
    attempt_.reach("nam: writer finds a later version than its snapshot's");
    return attempt_.lose(access.name(), Abort::kStaleSnapshot, image.version());
  }
  access.read_headers();
}

void VersionSearch::take_visible(Access& access) {
  const RecordImage image = access.image();
  if (locked(image.lock())) {
    if (accesses_.item(access).intent != Intent::kRead) {
      attempt_.reach("nam: writer finds a lock");
      return attempt_.lose(access.name(), Abort::kLocked, image.lock());
    }
    attempt_.reach("nam: lock read through");
    attempt_.count(Counter::kReadThrough);
  }
  accesses_.settle(access, !deleted(image.version()));
}

void VersionSearch::take_headers(Access& access) {
  const Layout& layout = attempt_.layout();
  const auto [versions, best] = attempt_.snapshot().choose(access.headers());
  if (versions == Versions::kTorn) return;
  if (versions == Versions::kFound && best != access.headers() + layout.versions()) {
    if (deleted(best->version)) {
      attempt_.reach("nam: record was not there in the snapshot");
      return accesses_.settle(access, false);
    }
    return access.read_old(static_cast<std::uint32_t>(best - access.headers()),
                           without_moved(best->version));
  }
  if (layout.overflows()) return overflow_.follow(access, access.headers()[layout.versions()]);
  attempt_.reach("nam: no old version is in the snapshot");
  attempt_.lose(access.name(), Abort::kSnapshotTooOld, access.image().version());
}

void VersionSearch::take_old(Access& access) {
  const RecordImage image = access.image();
  if (!accesses_.table(access).format.whole(image) || image.version() != access.old_version()) {
    attempt_.reach("nam: old version replaced before it was read");
    return access.read_current_again();
  }
  attempt_.reach("nam: old version read");
  accesses_.settle(access, true);
}

}  // namespace verbena::txn::nam
