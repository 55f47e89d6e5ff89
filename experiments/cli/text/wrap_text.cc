// Breaking lines at spaces.
#include "experiments/cli/text/wrap_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace verbena::experiments {
namespace {

// Where the words of an explanation begin, or of the line if there is none.
std::size_t indentation(std::string_view line, std::size_t explanation) {
  const std::size_t gap = line.substr(0, explanation).rfind("  ");
  const std::size_t start = line.find_first_not_of(' ', gap == std::string_view::npos ? 0 : gap);
  return start == std::string_view::npos ? 0 : start;
}

// The first of `words`, as many as have room, and at least one; removes them.
std::string_view take(std::string_view& words, std::size_t room) {
  if (words.size() <= room) return std::exchange(words, {});
  std::size_t end = words.rfind(' ', room);
  if (end == std::string_view::npos) end = words.find(' ');
  if (end == std::string_view::npos) return std::exchange(words, {});
  const std::string_view taken = words.substr(0, end);
  words.remove_prefix(end + 1);
  return taken;
}

void add_line(std::string& all, std::string_view line, std::size_t width, std::size_t explanation) {
  const std::size_t indent = indentation(line, explanation);
  const std::size_t room = width > indent ? width - indent : 1;
  std::string_view words = line.substr(indent);
  all += line.substr(0, indent);
  all += take(words, room);
  while (!words.empty()) {
    all += '\n' + std::string(indent, ' ');
    all += take(words, room);
  }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t explanation) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_line(all, text.substr(0, end), width, explanation);
    if (end == text.size()) break;
    all += '\n';
    text.remove_prefix(end + 1);
  }
  return all;
}

std::size_t help_width() {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 80;
  return std::clamp<std::size_t>(window.ws_col, 60, 100);
}

}  // namespace verbena::experiments
