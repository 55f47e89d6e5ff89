// Reading a configuration file whole, and telling its two forms apart.
#include "experiments/config_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "experiments/json_config.h"
#include "experiments/toml_config.h"
#include "experiments/units.h"
#include "rdma/seam/errors.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;

std::string read_text(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw ConfigurationError(fmt::format("--config {}: {}", file.empty() ? "''" : printable(file),
                                         std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw ConfigurationError(fmt::format("--config {}: is a directory", printable(file)));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (!stream ||
      (stream.read(text.data(), static_cast<std::streamsize>(text.size())), stream.bad())) {
    throw ConfigurationError(fmt::format("--config {}: cannot be read: {}", printable(file),
                                         errno != 0 ? std::strerror(errno) : "input error"));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) {
    throw ConfigurationError(
        fmt::format("--config {}: is larger than {} bytes", printable(file), kLargestFile));
  }
  return text;
}

}  // namespace

std::vector<Assignment> read_config(const std::string& file, const CommandLine& line) {
  const std::string text = read_text(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  return is_json ? parse_results(file, text, line) : parse_toml(file, text);
}

}  // namespace verbena::experiments
