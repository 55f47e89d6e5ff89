// Numbers drawn from records, outside of snapshots.
#pragma once

#include <cstdint>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/schema/table.h"

namespace verbena::txn::nam {

/// Draws by FETCH_AND_ADD of the NIC. Belongs to the transaction's fiber.
class NumberDraws {
 public:
  NumberDraws(Attempt& attempt, AccessSet& accesses) : attempt_(attempt), accesses_(accesses) {}

  /// See txn::Transaction::draw. Waits.
  std::uint64_t draw(const RecordName& name);

  /// Throws std::logic_error if the attempt would write a record that numbers are drawn from.
  void check_written() const;

 private:
  Attempt& attempt_;
  AccessSet& accesses_;
};

}  // namespace verbena::txn::nam
