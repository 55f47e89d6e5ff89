// The library's errors are known by their numbers; its texts are for programmers.
#include "experiments/config/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

constexpr int kWrongType = 302;
constexpr int kMissingMember = 403;

// "LINE:COLUMN" of the byte with this number, from 1.
std::string place_in(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 == 0
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, before.size() - line_begin + 1);
}

// The words of `text` from `begin` to `end`, as far as they are there.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t first = text.find(begin);
  if (first == std::string::npos) return "";
  const std::size_t from = first + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

}  // namespace

nlohmann::json parse_json(const std::string& file, const std::string& text) {
  const auto refuse = [&](const std::string& place, const char* why) {
    throw ConfigurationError(fmt::format("{}{}: {}", printable(file), place, why));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) refuse("", "is empty");
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const bool cut_off = error.byte > text.size();
    refuse(":" + place_in(text, error.byte), cut_off ? "ends before its JSON does" : "is not JSON");
  } catch (const json::exception&) {
    refuse("", "is JSON with numbers that are too large");
  }
  return {};
}

std::string json_error_text(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  if (error.id == kMissingMember) {
    return fmt::format("member '{}' is missing", printable(between(text, "key '", "'")));
  }
  if (error.id == kWrongType) {
    return fmt::format("a member is of type {}; expected {}", between(text, "but is ", "\n"),
                       between(text, "type must be ", ","));
  }
  return "its members are other than those of results";
}

}  // namespace verbena::experiments
