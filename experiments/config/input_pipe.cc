// Opened without waiting for a writer, and read until the last one has closed it.
#include "experiments/config/input_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargest = 64 << 20;

bool is_pipe(const std::string& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// A descriptor of ours.
class OpenPipe {
 public:
  explicit OpenPipe(const std::string& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenPipe() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_file_or_pipe(const std::string& file, const std::string& place,
                              Nanoseconds patience) {
  if (!is_pipe(file)) return read_input_file(file, place);
  const auto refuse = [&](const std::string& why) { throw ConfigurationError(place + ": " + why); };
  const OpenPipe pipe(file);
  const auto cannot = [&] { refuse(std::string("cannot be read: ") + std::strerror(errno)); };
  if (pipe.descriptor() < 0) cannot();
  const auto deadline = Clock::now() + std::chrono::nanoseconds(patience.count());
  std::string text;
  std::array<char, 1 << 16> block{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd asked{.fd = pipe.descriptor(), .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&asked, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno != EINTR) cannot();
    if (ready < 0) continue;
    if (ready == 0) {
      refuse(fmt::format("is a pipe that was not closed within {}; {} bytes had come",
                         format_duration(patience), text.size()));
    }
    const ssize_t got = read(pipe.descriptor(), block.data(), block.size());
    if (got < 0 && errno != EAGAIN && errno != EINTR) cannot();
    if (got == 0) break;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kLargest) refuse(fmt::format("is larger than {} bytes", kLargest));
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, std::string_view(kByteOrderMark).size());
  return text;
}

}  // namespace verbena::experiments
