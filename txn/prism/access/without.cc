// Its name, and those of the extensions.
#include "txn/prism/access/without.h"

#include "rdma/base/random.h"

namespace verbena::txn::prism {

Parameter without_parameter(Without& without) {
  return {.name = "without",
          .help = "extension of PRISM that NICs lack: systems do with what plain RDMA allows",
          .target = choice_of(without),
          .choices = {"nothing", "indirection", "allocation", "cas", "chaining"}};
}

std::uint64_t agreement(Without without, std::uint64_t before) {
  if (without == Without::kNothing) return before;
  return mix64(before ^ static_cast<std::uint64_t>(without));
}

}  // namespace verbena::txn::prism
