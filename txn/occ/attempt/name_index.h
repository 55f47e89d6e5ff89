// Look-up of a transaction's access by the record's name.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "rdma/base/random.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

/// Maps names to numbers for transactions with many records; clearing it takes constant time. Not
/// thread-safe.
class NameIndex {
 public:
  /// Holds at most `names` names.
  explicit NameIndex(std::uint32_t names)
      : mask_(std::bit_ceil(std::uint64_t{names} * 2) - 1), slots_(mask_ + 1) {}

  void clear() { ++epoch_; }

  /// Returns the number of `name`; a new name gets `number`.
  std::uint32_t find_or_add(const RecordName& name, std::uint32_t number) {
    std::uint64_t at =
        mix64(name.key ^ std::uint64_t{name.table} << 56 ^ std::uint64_t{name.partition} << 40);
    for (;; ++at) {
      Slot& slot = slots_[at & mask_];
      if (slot.epoch != epoch_) {
        slot = {.name = name, .epoch = epoch_, .number = number};
        return number;
      }
      if (slot.name == name) return slot.number;
    }
  }

 private:
  struct Slot {
    RecordName name;
    std::uint64_t epoch = 0;
    std::uint32_t number = 0;
  };
  std::uint64_t mask_;
  std::uint64_t epoch_ = 1;
  std::vector<Slot> slots_;
};

}  // namespace verbena::txn::occ
