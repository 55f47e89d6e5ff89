// Digests that tell contents apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace verbena::experiments {

/// An FNV-1a hash. It protects against nobody.
class Digest {
 public:
  void add(std::string_view bytes);

  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Returns the size and the modification time of a file; empty when there is none.
std::string status_text(const std::string& file);

/// Returns the digest of a file's bytes or, of a directory, whose files may be large, of the names,
/// sizes and modification times of all files in it and below. Empty for anything else, such as a
/// pipe, and when there is nothing.
std::string contents_digest(const std::string& path);

}  // namespace verbena::experiments
