// Choice of the old version that a snapshot reads.
#pragma once

#include <cstdint>
#include <span>

#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

enum class Versions : std::uint8_t {
  kFound,
  kNone,  ///< no kept version is in the snapshot
  kTorn,  ///< headers of different times, which tell nothing: READ again
};

struct VersionChoice {
  Versions versions = Versions::kNone;
  const OldHeader* latest = nullptr;  ///< latest in the snapshot; null if there is none
};

/// Chooses the latest version that `snapshot` holds, by the headers of all old versions of a
/// record, in any order; with `overflows` the last header leads to the newest version in overflow.
///
/// A record's versions are numbered by their installs, without gaps, up to the one that was current
/// when that was read: each header held its version then, or now holds a later one. Headers in
/// several cache lines may be of different times. A gap behind the chosen version, with later ones
/// after it, shows that: the headers are torn.
VersionChoice choose_version(std::span<const OldHeader> headers,
                             std::span<const std::uint32_t> snapshot, bool overflows);

}  // namespace verbena::txn::nam
