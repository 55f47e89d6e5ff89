// A pipe, a fork and a wait.
#include "simnic/world/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace verbena::simnic {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t bytes = read(descriptor, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
}

[[noreturn]] void work_and_exit(const std::function<void(int)>& work, int output) {
  try {
    work(output);
    _exit(0);
  } catch (const std::exception& error) {
    std::fflush(nullptr);
    write_all(output, std::string(error.what()) + "\n");
  }
  _exit(1);
}

}  // namespace

ChildWork work_in_child(const std::function<void(int)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no further process can be started");
  if (child == 0) {
    close(ends[0]);
    work_and_exit(work, ends[1]);
  }
  close(ends[1]);
  ChildWork result{.output = read_all(ends[0])};
  close(ends[0]);
  int status = -1;  // of no process that succeeded
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

void write_all(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t bytes = write(descriptor, text.data() + written, text.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    written += static_cast<std::size_t>(bytes);
  }
}

}  // namespace verbena::simnic
