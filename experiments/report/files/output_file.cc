// Temporary file, fsync, rename.
#include "experiments/report/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

[[noreturn]] void refuse(const char* flag, const std::string& path, const char* reason) {
  throw ConfigurationError(
      fmt::format("{} {}: cannot be written: {}", flag, refused_text(path), reason));
}

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(
      fmt::format("{}: writing failed: {}", printable(path), std::strerror(errno)));
}

// A file that is closed, and removed unless it was kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) : name_(target + ".XXXXXX") {
    descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!kept_) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Sets what mkstemp does not give: the mode of the file that is replaced, or the usual one.
  bool set_mode(const std::string& target) const {
    struct stat status {};
    const bool exists = lstat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor_, exists ? status.st_mode & 0777 : 0666 & ~mask) == 0;
  }

  bool rename_to(const std::string& target) {
    kept_ = rename(name_.c_str(), target.c_str()) == 0;
    return kept_;
  }

 private:
  std::string name_;
  int descriptor_;
  bool kept_ = false;
};

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const char* flag, Links links) : path_(path) {
  const bool follows = links == Links::kFollowed;
  standard_output_ = follows && path == "-";
  if (standard_output_) return;
  struct stat status {};
  bool exists = (follows ? stat : lstat)(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) refuse(flag, path, "is a directory");
  if (!follows) exists = exists && S_ISREG(status.st_mode);
  if (exists && access(path.c_str(), W_OK) != 0) refuse(flag, path, std::strerror(errno));
  direct_ = follows && ((exists && !S_ISREG(status.st_mode)) || path.starts_with("/dev/"));
  if (direct_) return;
  // A symbolic link keeps pointing where it points.
  std::error_code error;
  if (exists) path_ = std::filesystem::canonical(path, error).string();
  if (error) refuse(flag, path, error.message().c_str());
  if (TemporaryFile(path_).descriptor() < 0) refuse(flag, path, std::strerror(errno));
}

void OutputFile::commit(std::string_view content, bool lasting) const {
  if (standard_output_) return write_all(STDOUT_FILENO, content, "standard output");
  if (direct_) {
    // A pipe that nobody reads is an error rather than waited for.
    const int descriptor = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fcntl(descriptor, F_SETFL, O_WRONLY) != 0) fail(path_);
    write_all(descriptor, content, path_);
    close(descriptor);
    return;
  }
  TemporaryFile file(path_);
  if (file.descriptor() < 0 || !file.set_mode(path_)) fail(path_);
  write_all(file.descriptor(), content, path_);
  if (lasting && fsync(file.descriptor()) != 0) fail(path_);
  if (!file.rename_to(path_)) fail(path_);
}

}  // namespace verbena::experiments
