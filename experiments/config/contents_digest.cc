// Files block by block, directories as they are listed.
#include "experiments/config/contents_digest.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "rdma/base/input_file.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

std::string directory_digest(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    if (!file->is_directory(error)) files.push_back(file->path());
  }
  std::ranges::sort(files);
  Digest digest;
  for (const fs::path& file : files) {
    digest.add(file.lexically_relative(directory).string() + '\0');
    digest.add(status_text(file.string()));
  }
  return digest.text();
}

}  // namespace

void Digest::add(std::string_view bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * kPrime;
}

std::string Digest::text() const { return fmt::format("{:016x}", hash_); }

std::string status_text(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {}.{};", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string contents_digest(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return directory_digest(path);
  // A pipe may never end.
  if (!why_no_input_file(path).empty()) return "";
  std::ifstream stream(path, std::ios::binary);
  Digest digest;
  std::array<char, 1 << 16> block{};
  while (stream.read(block.data(), block.size()), stream.gcount() > 0) {
    digest.add({block.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return digest.text();
}

}  // namespace verbena::experiments
