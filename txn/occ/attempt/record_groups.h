// Records to be sent to their owners, in groups that each fit in one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "txn/occ/attempt/access.h"

namespace verbena::txn::occ {

/// Groups records by node for messages. A sender clears it, adds the records, and takes one group
/// after the other. Belongs to the transaction's fiber.
class RecordGroups {
 public:
  /// Records of one node, in the order in which they were added.
  struct Group {
    NodeId node;
    std::uint32_t bytes;  ///< of all its records
    std::span<Access* const> records;
    bool full;  ///< true if not all records of the node had room

    std::uint32_t size() const { return static_cast<std::uint32_t>(records.size()); }
  };

  /// Holds at most `most` records.
  explicit RecordGroups(std::uint32_t most);

  /// Forgets all records and invalidates groups that were taken.
  void clear();
  /// Adds a record that takes `bytes` bytes in a message.
  void add(Access& access, std::uint32_t bytes) { waiting_.push_back({&access, bytes}); }
  bool empty() const { return waiting_.empty(); }

  /// Takes records of the first waiting record's node, as many as fit in `most_bytes`: at least
  /// one, which must fit. Valid until clear().
  Group take(std::size_t most_bytes);

 private:
  struct Waiting {
    Access* access;
    std::uint32_t bytes;
  };

  std::vector<Waiting> waiting_;
  std::vector<Access*> taken_;
};

}  // namespace verbena::txn::occ
