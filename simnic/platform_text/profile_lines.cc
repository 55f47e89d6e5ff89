// Lines of a date and a value, and those that say when they begin again.
#include "simnic/platform_text/profile_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/time.h"
#include "rdma/base/value_text.h"

namespace verbena::simnic {
namespace {

namespace fs = std::filesystem;

/// Each change is a step of the simulation, which has to get somewhere.
constexpr Nanoseconds kShortestRound = kMicrosecond;

// To the nanosecond, and no longer than Nanoseconds can be.
std::string seconds_text(double seconds) {
  return format_duration(Nanoseconds(std::llround(std::min(seconds, 9e9) * 1e9)));
}

class Profile {
 public:
  explicit Profile(const std::string& name) : name_(name) {}

  void take_periodicity(const std::string& text) {
    if (text.empty()) return;
    const std::optional<double> seconds = parse_real(text);
    const std::string words = "periodicity \"" + text + "\"";
    if (!seconds) refuse("has the " + words + "; expected seconds, or -1 for none");
    if (*seconds > 0) begin_again(*seconds, false, words);
  }

  void take(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%') return;
    const std::string quoted = "line \"" + line.substr(0, kShown) + "\"";
    const auto number = [&](const std::string& word) {
      const std::optional<double> value = parse_real(word);
      if (value && *value >= 0 && words.size() == 2) return *value;
      refuse("has the " + quoted +
             "; expected \"DATE VALUE\", \"PERIODICITY SECONDS\" or \"LOOPAFTER SECONDS\", with no "
             "number below 0");
    };
    const double value = number(words.back());
    if (words[0] == "PERIODICITY" || words[0] == "LOOPAFTER") {
      begin_again(value, words[0] == "LOOPAFTER", quoted);
    } else {
      last_date_ = number(words[0]);
    }
  }

  void check_round() const {
    if (again_.empty()) return;
    const double round = after_last_ ? last_date_ + seconds_ : seconds_;
    if (round >= std::max(to_seconds(kShortestRound), last_date_)) return;
    refuse("has the " + again_ + ", so that it begins again after " + seconds_text(round) +
           "; expected " + format_duration(kShortestRound) +
           " or more, and no less than its last date");
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw ConfigurationError(name_ + " " + reason);
  }

  /// Notes that it begins again so long after its last date, or else after its beginning.
  void begin_again(double seconds, bool after_last, const std::string& words) {
    if (!again_.empty()) {
      refuse("has the " + again_ + " and the " + words + "; expected one of them");
    }
    again_ = words;
    seconds_ = seconds;
    after_last_ = after_last;
  }

  static constexpr std::size_t kShown = 60;

  const std::string& name_;
  std::string again_;  ///< words that say when it begins again; empty: it does not
  double seconds_ = 0;
  bool after_last_ = false;
  double last_date_ = 0;
};

}  // namespace

void check_profile(const std::string& name, const std::string& lines,
                   const std::string& periodicity) {
  Profile profile(name);
  profile.take_periodicity(periodicity);
  // SimGrid takes a carriage return for the end of a line, too.
  std::string text = lines;
  std::ranges::replace(text, '\r', '\n');
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) profile.take(line);
  profile.check_round();
}

void check_profile_file(const std::string& platform, const std::string& file) {
  const std::string name = "profile " + file;
  std::optional<std::string> first;
  std::error_code error;
  for (const fs::path& path : {fs::path(file), fs::path(platform).parent_path() / file}) {
    if (!fs::exists(path, error)) continue;
    const std::string lines = read_input_file(path.string(), name);
    check_profile(name, lines);
    if (first && *first != lines) {
      throw ConfigurationError(name + ": there is one in the working directory, and another one '" +
                               path.string() + "' beside the platform; rename or remove one");
    }
    first = lines;
  }
}

}  // namespace verbena::simnic
