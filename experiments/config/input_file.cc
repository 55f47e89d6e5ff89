// Why a file cannot be read, told before a parser would complain of nothing.
#include "experiments/config/input_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;

}  // namespace

std::string read_input_file(const std::string& file, const std::string& place) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw ConfigurationError(fmt::format("{}: {}", place, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) throw ConfigurationError(place + ": is a directory");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  // Files that the system makes up tell no size.
  const auto told = static_cast<std::size_t>(status.st_size);
  const bool tells = S_ISREG(status.st_mode) && told > 0 && told < kLargestFile;
  std::string text((tells ? told : kLargestFile) + 1, '\0');
  if (!stream ||
      (stream.read(text.data(), static_cast<std::streamsize>(text.size())), stream.bad())) {
    throw ConfigurationError(fmt::format("{}: cannot be read: {}", place,
                                         errno != 0 ? std::strerror(errno) : "input error"));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) {
    throw ConfigurationError(fmt::format("{}: is larger than {} bytes", place, kLargestFile));
  }
  return text;
}

}  // namespace verbena::experiments
