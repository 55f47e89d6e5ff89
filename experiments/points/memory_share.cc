// By the environment, as the place for progress.
#include "experiments/points/memory_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

constexpr const char* kVariable = "VERBENA_MEMORY_SHARE";

}  // namespace

std::uint64_t memory_share(std::uint64_t available, std::size_t at_once, std::uint64_t expected) {
  const std::uint64_t even = available / std::max<std::size_t>(1, at_once);
  return std::max(even, std::min(available, expected));
}

std::string memory_share_line(std::uint64_t bytes) {
  return fmt::format("{}={}", kVariable, bytes);
}

std::uint64_t inherited_memory_share() {
  const char* const bytes = std::getenv(kVariable);
  const std::uint64_t share = bytes == nullptr ? 0 : parse_whole(bytes).value_or(0);
  unsetenv(kVariable);
  return share;
}

}  // namespace verbena::experiments
