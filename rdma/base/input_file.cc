// Why a file cannot be read, told before a parser would complain of nothing.
#include "rdma/base/input_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "rdma/base/errors.h"

namespace verbena {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  const char* kind = S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
  return std::string("is a ") + kind + "; expected a regular file";
}

}  // namespace

std::string why_no_input_file(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return kind_of(status.st_mode);
  if (access(file.c_str(), R_OK) != 0)
    return std::string("cannot be read: ") + std::strerror(errno);
  return "";
}

std::string read_input_file(const std::string& file, const std::string& place) {
  const auto refuse = [&](const std::string& why) { throw ConfigurationError(place + ": " + why); };
  if (const std::string why = why_no_input_file(file); !why.empty()) refuse(why);
  struct stat status {};
  // Files that the system makes up tell no size.
  const auto told = stat(file.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  const bool tells = told > 0 && told < kLargestFile;
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text((tells ? told : kLargestFile) + 1, '\0');
  if (!stream ||
      (stream.read(text.data(), static_cast<std::streamsize>(text.size())), stream.bad())) {
    refuse(std::string("cannot be read: ") + (errno != 0 ? std::strerror(errno) : "input error"));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) {
    refuse("is larger than " + std::to_string(kLargestFile) + " bytes");
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, sizeof(kByteOrderMark) - 1);
  return text;
}

}  // namespace verbena
