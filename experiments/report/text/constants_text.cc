// Flags in the order in which people ask for them, then what was set besides.
#include "experiments/report/text/constants_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

using Records = std::vector<const ConfigurationRecord*>;

constexpr std::array kTold = {"system",     "plan",     "workload", "nodes",    "threads",
                              "coroutines", "replicas", "payload",  "window",   "clients",
                              "servers",    "nic",      "cpu",      "topology", "platform"};

std::string text_of(const ConfigurationRecord::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "";
}

std::optional<std::string> flag_of(const ConfigurationRecord& record, const std::string& name) {
  const auto found = record.values.find(name);
  if (found == record.values.end()) return std::nullopt;
  return text_of(found->second);
}

std::optional<std::string> override_of(const ConfigurationRecord& record, const std::string& key) {
  const auto found = record.overrides.find(key);
  if (found == record.overrides.end()) return std::nullopt;
  return found->second;
}

// "nodes 4"; empty where it says nothing, or is not the same everywhere.
template <typename Lookup>
std::string common(const Records& records, const std::string& key, const Lookup& lookup) {
  const auto value = lookup(*records.front(), key);
  if (!value || value->empty() || *value == "auto") return "";
  const bool same = std::ranges::all_of(
      records, [&](const ConfigurationRecord* record) { return lookup(*record, key) == value; });
  return same ? key + " " + printable(*value) : "";
}

void add(const std::string& part, std::vector<std::string>& lines) {
  constexpr std::size_t kWidth = 110;
  constexpr std::string_view kBetween = ", ";
  if (part.empty()) return;
  if (!lines.empty() && lines.back().size() + kBetween.size() + part.size() <= kWidth) {
    lines.back() += std::string(kBetween) + part;
  } else {
    lines.push_back(part);
  }
}

}  // namespace

std::vector<std::string> constants_lines(const std::vector<const ConfigurationRecord*>& records) {
  std::vector<std::string> lines;
  if (records.empty()) return lines;
  for (const char* key : kTold) add(common(records, key, flag_of), lines);
  for (const auto& entry : records.front()->overrides) {
    add(common(records, entry.first, override_of), lines);
  }
  return lines;
}

}  // namespace verbena::experiments
