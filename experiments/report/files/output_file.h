// A result file that is written completely or not at all.
#pragma once

#include <string>
#include <string_view>

namespace verbena::experiments {

/// The constructor checks before a measurement whether the file can be written. commit() writes a
/// temporary file beside the target and renames it. A target that is no regular file (a pipe, a
/// device) is written directly; "-" is standard output.
class OutputFile {
 public:
  /// Throws ConfigurationError, naming the flag, `path` and the reason, when it cannot be written.
  explicit OutputFile(const std::string& path, const char* flag = "--json")
      : OutputFile(path, flag, Links::kFollowed) {}

  /// Makes a file in the directory of --out. What is there, a link or a pipe too, is replaced.
  static OutputFile in_directory(const std::string& path) {
    return OutputFile(path, "--out", Links::kReplaced);
  }

  /// Writes `content` and puts it into place. If `lasting`, it survives a crash of the machine,
  /// which takes longer. Throws std::runtime_error on an error, such as a full disk; the target is
  /// then unchanged.
  void commit(std::string_view content, bool lasting = true) const;

 private:
  enum class Links { kFollowed, kReplaced };

  OutputFile(const std::string& path, const char* flag, Links links);

  std::string path_;
  bool direct_ = false;
  bool standard_output_ = false;
};

}  // namespace verbena::experiments
