// Names of the bench's operations, and what follows from them.
#include "experiments/bench/bench_options.h"

#include <array>
#include <utility>

#include "rdma/base/errors.h"

namespace verbena::experiments {

Operation operation_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, Operation>, 9> kNames = {
      {{"read", Operation::kRead},
       {"write", Operation::kWrite},
       {"send", Operation::kSend},
       {"rpc", Operation::kRpc},
       {"write-rpc", Operation::kWriteRpc},
       {"cas", Operation::kCompareAndSwap},
       {"faa", Operation::kFetchAndAdd},
       {"multi-read", Operation::kMultiRead},
       {"multi-write", Operation::kMultiWrite}}};
  for (const auto& [known, operation] : kNames) {
    if (name == known) return operation;
  }
  throw ConfigurationError("unknown operation '" + name + "'");
}

bool is_atomic(Operation operation) {
  return operation == Operation::kCompareAndSwap || operation == Operation::kFetchAndAdd;
}

bool BenchOptions::served_by_nics() const {
  switch (operation) {
    case Operation::kSend:
    case Operation::kRpc:
    case Operation::kWriteRpc:
      return false;
    case Operation::kMultiRead:
    case Operation::kMultiWrite:
      return !two_sided;
    default:
      return true;
  }
}

}  // namespace verbena::experiments
