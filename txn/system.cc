// Defaults of systems, which can do little unless they say otherwise.
#include "txn/system.h"

#include "rdma/base/errors.h"

namespace verbena::txn {

void System::change(const std::string& changes) {
  throw ConfigurationError("system '" + info().name + "' has nothing to change, but was given '" +
                           changes + "'");
}

}  // namespace verbena::txn
