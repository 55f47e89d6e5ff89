// Which of a record's old versions a snapshot reads.
#pragma once

#include <cstdint>
#include <span>

#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

enum class Versions : std::uint8_t {
  kFound,
  kNone,  ///< none that is kept is in the snapshot
  kTorn,  ///< headers of different times, which say nothing: to be READ again
};

struct VersionChoice {
  Versions versions = Versions::kNone;
  const OldHeader* latest = nullptr;  ///< in the snapshot; null: none is
};

/// The latest version that `snapshot` holds, by the headers of all old versions of a record, in any
/// order; with `overflows` the last of them leads to the latest in overflow. A record's versions
/// follow each other by their installs, from the one that was current when that was read back: each
/// was there then, or has been replaced by later ones. Headers of several cache lines may be of
/// different times, and the one behind a version may have been replaced when that had not: then
/// there are later ones, but not the next.
VersionChoice choose_version(std::span<const OldHeader> headers,
                             std::span<const std::uint32_t> snapshot, bool overflows);

}  // namespace verbena::txn::nam
