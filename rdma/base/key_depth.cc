// Counting dots between what begins or ends a key, outside of strings and comments.
#include "rdma/base/key_depth.h"

#include <algorithm>

namespace verbena {
namespace {

constexpr std::size_t kEnd = std::string_view::npos;

// The place behind the string that begins at `at`, or behind the text.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool is_long = three.size() == 3 && three[1] == quote && three[2] == quote;
  const std::string_view end = is_long ? three : text.substr(at, 1);
  for (std::size_t i = at + end.size(); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (!is_long && text[i] == '\n') {
      return i;  // not closed, which the parser will say
    } else if (text.substr(i).starts_with(end)) {
      return i + end.size();
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_of_too_deep_key(std::string_view toml) {
  std::size_t names = 1;
  for (std::size_t i = 0; i < toml.size();) {
    const char c = toml[i];
    if (c == '"' || c == '\'') {
      i = behind_string(toml, i);
      continue;
    }
    if (c == '#') {
      const std::size_t end = toml.find('\n', i);
      i = end == kEnd ? toml.size() : end;
      continue;
    }
    if (std::string_view("=,[]{}\n").find(c) != kEnd) names = 1;
    if (c == '.' && ++names > kDeepestKey) {
      return 1 + static_cast<std::size_t>(
                     std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
    }
    ++i;
  }
  return std::nullopt;
}

}  // namespace verbena
