// Lines that name a time after which a profile begins again.
#include "simnic/looping_profile.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "rdma/base/input_file.h"
#include "rdma/base/value_text.h"

namespace verbena::simnic {
namespace {

namespace fs = std::filesystem;

/// Seconds: simulated time is counted in picoseconds, and a run has to get somewhere.
constexpr double kShortestLoop = 1e-9;

constexpr std::array<std::string_view, 2> kLoops = {"LOOPAFTER", "PERIODICITY"};

}  // namespace

void check_loop(const std::string& name, const std::string& lines) {
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first;
    std::string seconds;
    words >> first >> seconds;
    for (const std::string_view loop : kLoops) {
      if (first != loop) continue;
      const auto value = parse_real(seconds);
      if (value && *value >= kShortestLoop) continue;
      std::string text = name;
      text.append(": ").append(first).append(" ").append(seconds);
      text += "; expected the seconds, 1e-9 or more, after which it begins again";
      throw std::runtime_error(text);
    }
  }
}

void check_loop_of_file(const std::string& platform, const std::string& file) {
  std::error_code error;
  for (const fs::path& path : {fs::path(file), fs::path(platform).parent_path() / file}) {
    if (!fs::exists(path, error)) continue;
    check_loop("profile " + file, read_input_file(path.string(), "profile " + file));
  }
}

}  // namespace verbena::simnic
