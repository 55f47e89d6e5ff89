// A drawing is whole when its last element is closed.
#include "experiments/plot/drawing.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace verbena::experiments {
namespace {

constexpr const char* kSuffixes[] = {".svg", ".png"};

bool is_whole(std::string_view svg) {
  constexpr std::string_view kEnd = "</svg>";
  const std::size_t last = svg.find_last_not_of(" \r\n");
  return last != std::string_view::npos && svg.substr(0, last + 1).ends_with(kEnd);
}

}  // namespace

std::optional<std::string> read_drawing(const std::string& stem) {
  std::ifstream stream(stem + ".svg", std::ios::binary);
  if (!stream) return "";
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (is_whole(text)) return text;
  remove_drawing(stem);
  return std::nullopt;
}

std::vector<std::string> read_drawings(const std::vector<std::string>& stems,
                                       const std::function<void(const std::string&)>& complain) {
  std::vector<std::string> drawings;
  for (const std::string& stem : stems) {
    std::optional<std::string> text = read_drawing(stem);
    if (!text) complain("plot failed: " + stem + ".svg: writing failed");
    drawings.push_back(std::move(text).value_or(""));
  }
  return drawings;
}

bool remove_drawing(const std::string& stem) {
  bool removed = false;
  for (const char* suffix : kSuffixes) {
    std::error_code ignored;
    removed = std::filesystem::remove(stem + suffix, ignored) || removed;
  }
  return removed;
}

void remove_drawing_links(const std::string& stem) {
  for (const char* suffix : kSuffixes) {
    std::error_code ignored;
    if (std::filesystem::is_symlink(stem + suffix, ignored)) {
      std::filesystem::remove(stem + suffix, ignored);
    }
  }
}

bool has_drawing(const std::string& stem) {
  std::error_code ignored;
  return std::ranges::any_of(kSuffixes, [&](const char* suffix) {
    return std::filesystem::exists(stem + suffix, ignored);
  });
}

}  // namespace verbena::experiments
