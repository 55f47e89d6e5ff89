// Looking for the latest version, and for gaps behind it.
#include "txn/nam/versions/version_choice.h"

#include <algorithm>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

VersionChoice choose_version(std::span<const OldHeader> headers,
                             std::span<const std::uint32_t> snapshot, bool overflows) {
  const OldHeader* latest = nullptr;
  for (const OldHeader& header : headers) {
    if (header.installs == 0 || !visible(stamp_of(header.version), snapshot)) continue;
    if (latest == nullptr || header.installs > latest->installs) latest = &header;
  }
  const auto from = [&](std::uint32_t first) {
    return [first](const OldHeader& header) { return header.installs >= first; };
  };
  const std::uint32_t next = (latest != nullptr ? latest : &headers.back())->installs + 1;
  const bool later = std::ranges::any_of(headers, from(next));
  const bool follows = std::ranges::count(headers, next, &OldHeader::installs) > 0;
  if (later && !follows && (latest != nullptr || overflows)) {
    return {.versions = Versions::kTorn, .latest = latest};
  }
  return {.versions = latest != nullptr ? Versions::kFound : Versions::kNone, .latest = latest};
}

}  // namespace verbena::txn::nam
