// Asked before anything needs them.
#include "experiments/cli/shell_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>

#include "rdma/base/errors.h"

namespace verbena::experiments {

void heed_shell_limits() {
  std::signal(SIGXFSZ, SIG_IGN);
  // Threads get as much as the first one may have.
  constexpr rlim_t kStackBytes = 1 << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kStackBytes) return;
  throw ConfigurationError(fmt::format(
      "ulimit -s {}: the stack may not have more KiB; expected {} or more, or unlimited",
      stack.rlim_cur >> 10, kStackBytes >> 10));
}

}  // namespace verbena::experiments
