// An anonymous file that is mapped, by whoever has its descriptor.
#include "experiments/points/progress_board.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace verbena::experiments {
namespace {

using workloads::RunProgress;

/// Its value is DESCRIPTOR:INDEX.
constexpr const char* kVariable = "VERBENA_PROGRESS";

RunProgress* mapped(int descriptor, std::size_t points) {
  void* memory = mmap(nullptr, points * sizeof(RunProgress), PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<RunProgress*>(memory);
}

}  // namespace

ProgressBoard::ProgressBoard(std::size_t points)
    : size_(points), descriptor_(memfd_create("verbena-progress", MFD_CLOEXEC)), points_(nullptr) {
  if (size_ == 0) return;
  const auto bytes = static_cast<off_t>(size_ * sizeof(RunProgress));
  if (descriptor_ >= 0 && ftruncate(descriptor_, bytes) == 0) points_ = mapped(descriptor_, size_);
  if (points_ == nullptr) {
    throw std::runtime_error(
        fmt::format("no shared memory for the progress of points: {}", std::strerror(errno)));
  }
  std::uninitialized_value_construct_n(points_, size_);
}

ProgressBoard::~ProgressBoard() {
  if (points_ != nullptr) munmap(points_, size_ * sizeof(RunProgress));
  if (descriptor_ >= 0) close(descriptor_);
}

std::string ProgressBoard::place_of(std::size_t point) const {
  return fmt::format("{}={}:{}", kVariable, descriptor_, point);
}

RunProgress* ProgressBoard::inherited() {
  const char* place = std::getenv(kVariable);
  int descriptor = -1;
  std::size_t point = 0;
  if (place == nullptr || std::sscanf(place, "%d:%zu", &descriptor, &point) != 2) return nullptr;
  unsetenv(kVariable);
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return nullptr;
  const auto points = static_cast<std::size_t>(file.st_size) / sizeof(RunProgress);
  RunProgress* all = point < points ? mapped(descriptor, points) : nullptr;
  return all == nullptr ? nullptr : all + point;
}

}  // namespace verbena::experiments
