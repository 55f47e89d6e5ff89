// Records that are to be sent to their owners, in groups that each fit in one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "txn/occ/attempt/access.h"

namespace verbena::txn::occ {

/// Records that wait for messages, by nodes. A sender clears it, adds the records, and takes one
/// group after the other. Belongs to the transaction's fiber.
class RecordGroups {
 public:
  /// Records of one node, in the order in which they were added.
  struct Group {
    NodeId node;
    std::uint32_t bytes;  ///< of all
    std::span<Access* const> records;
    bool full;  ///< there was no room for all records of the node

    std::uint32_t size() const { return static_cast<std::uint32_t>(records.size()); }
  };

  /// For at most `most` records.
  explicit RecordGroups(std::uint32_t most);

  /// Forgets all records; groups that were taken are no longer valid.
  void clear();
  /// `bytes` are what the record takes in a message.
  void add(Access& access, std::uint32_t bytes) { waiting_.push_back({&access, bytes}); }
  bool empty() const { return waiting_.empty(); }

  /// The node of the first record that waits, and of its records as many as fit in `most_bytes`: at
  /// least one, which has to fit. Valid until clear().
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
