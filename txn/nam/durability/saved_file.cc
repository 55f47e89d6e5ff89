// A header with a checksum, then the content.
#include "txn/nam/durability/saved_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/random.h"

namespace verbena::txn::nam {
namespace {

namespace fs = std::filesystem;

struct Header {
  std::uint64_t magic = 0x31304D414E425256;  // "VRBNAM01"
  std::uint64_t layout = 0;                  // with the file's name
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t checksum(std::span<const std::byte> content) {
  std::uint64_t sum = content.size();
  for (std::size_t at = 0; at < content.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, content.data() + at, std::min(sizeof word, content.size() - at));
    sum = mix64(sum ^ word);
  }
  return sum;
}

// Files of two servers cannot be taken for each other's.
std::uint64_t whose(std::uint64_t layout, const std::string& name) {
  return layout ^ checksum(std::as_bytes(std::span(name)));
}

/// Closes it.
class File {
 public:
  explicit File(const fs::path& path)
      : path_(path), number_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (number_ < 0) throw ConfigurationError(path_.string() + ": " + std::strerror(errno));
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  void sync() {
    if (::fsync(number_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(path_.string() + ": writing failed: " + std::strerror(errno));
  }

  fs::path path_;
  int number_;
};

}  // namespace

void save_file(const std::string& directory, const std::string& name, std::uint64_t layout,
               std::span<const std::byte> content) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  const fs::path path = fs::path(directory) / name;
  const fs::path unfinished = path.string() + ".unfinished";
  const Header header{
      .layout = whose(layout, name), .bytes = content.size(), .checksum = checksum(content)};
  try {
    File file(unfinished);
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(content);
    file.sync();
  } catch (const std::runtime_error&) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw;
  }
  fs::rename(unfinished, path, failed);
  if (failed) throw ConfigurationError(path.string() + ": " + failed.message());
}

std::optional<std::vector<std::byte>> load_file(const std::string& directory,
                                                const std::string& name, std::uint64_t layout) {
  const fs::path path = fs::path(directory) / name;
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::nullopt;
  if (const std::string why = why_no_input_file(path.string()); !why.empty()) {
    throw ConfigurationError(path.string() + ": " + why);
  }
  std::ifstream file(path, std::ios::binary);
  Header header;
  const Header expected{.layout = whose(layout, name)};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const std::uint64_t size = fs::file_size(path, failed);
  if (!file || failed || header.magic != expected.magic || header.bytes != size - sizeof header) {
    throw ConfigurationError(path.string() + ": is not a whole checkpoint or journal");
  }
  if (header.layout != expected.layout) {
    throw ConfigurationError(path.string() +
                             ": is of a cluster with other nodes, threads, coroutines, tables or "
                             "settings of nam, or of another server of it");
  }
  std::vector<std::byte> content(header.bytes);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
  if (!file || checksum(content) != header.checksum) {
    throw ConfigurationError(path.string() + ": is damaged");
  }
  return content;
}

void remove_file(const std::string& directory, const std::string& name) {
  std::error_code ignored;
  fs::remove(fs::path(directory) / name, ignored);
}

}  // namespace verbena::txn::nam
