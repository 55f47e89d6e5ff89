// Names of isolation levels.
#include "txn/system_info.h"

namespace verbena::txn {

const char* isolation_name(Isolation isolation) {
  switch (isolation) {
    case Isolation::kStrictSerializability:
      return "strict serializability";
    case Isolation::kSerializability:
      return "serializability";
    case Isolation::kSnapshotIsolation:
      return "snapshot isolation";
    case Isolation::kUpdateAtomicity:
      return "update atomicity";
    case Isolation::kLinearizableRegisters:
      return "linearizable registers";
    case Isolation::kNone:
      return "nothing";
  }
  return "unknown";
}

}  // namespace verbena::txn
