// Entries that lead to Pilaf's objects, and the CRCs that prove both whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "txn/schema/key_shape.h"

namespace verbena::txn::kv {

/// Returns the CRC (of 64 bits, ECMA-182) of `bytes`.
std::uint64_t crc_of(std::span<const std::byte> bytes);

/// An entry of the table that clients READ (PRISM paper, section 6.2: Pilaf).
struct PilafEntry {
  std::uint64_t version = 0;  ///< number of objects that the key has had; 0: none
  std::uint64_t object = 0;   ///< offset of the object
  std::uint64_t bytes = 0;    ///< size of the object
  std::uint64_t object_crc = 0;
  std::uint64_t entry_crc = 0;  ///< of all before it

  /// True when it was read as it was at one moment.
  bool whole() const { return entry_crc == computed_crc(); }
  std::uint64_t computed_crc() const {
    return crc_of(std::as_bytes(std::span(this, 1)).first(offsetof(PilafEntry, entry_crc)));
  }
};

/// Begins an object; the value follows.
struct PilafObject {
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;
  Key key = 0;
};

}  // namespace verbena::txn::kv
