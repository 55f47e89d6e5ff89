// A result file that is there whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace verbena::experiments {

/// The constructor finds out, before a measurement starts, whether the place can be written; commit
/// writes a temporary file beside the target and renames it over it. A target that is no regular
/// file (a pipe, a device) is written directly, and "-" is standard output.
class OutputFile {
 public:
  /// Throws ConfigurationError, naming the flag, `path` and the reason, when it cannot be written.
  explicit OutputFile(const std::string& path, const char* flag = "--json");

  /// Writes `content` and puts it into place, where it survives a failure of the machine unless it
  /// is not `lasting`, which is faster. Throws std::runtime_error when the disk is full, say; the
  /// target is then as it was.
  void commit(std::string_view content, bool lasting = true) const;

 private:
  std::string path_;
  bool direct_ = false;
  bool standard_output_ = false;
};

}  // namespace verbena::experiments
