// Reading profiles and overrides.
#include "simnic/profile/profile.h"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/key_depth.h"
#include "rdma/base/text/nearest_name.h"
#include "rdma/base/value_text.h"
#include "simnic/profile/profile_schema.h"

namespace verbena::simnic {
namespace {

std::string unknown_constant(const std::string& where, const std::string& name,
                             const std::vector<std::string>& known) {
  return where + "constant '" + name + "' is unknown" + did_you_mean(name, known);
}

void check_range(const std::string& what, double value, const Range& range) {
  if (range.has(value)) return;
  throw ConfigurationError(what + " is " + plain_number(value) + "; expected " + range.text());
}

template <typename Profile>
std::vector<std::string> keys_of(std::span<const ConstantSchema<Profile>> schema) {
  std::vector<std::string> keys;
  for (const auto& entry : schema) keys.emplace_back(entry.key);
  return keys;
}

std::string profile_text(const std::string& kind, const std::string& name,
                         const std::string& origin) {
  if (const std::string* built_in = built_in_profile(kind, name)) return *built_in;
  std::error_code error;
  if (name.find('.') != std::string::npos && std::filesystem::exists(name, error)) {
    return read_input_file(name, origin);
  }
  std::string names;
  for (const std::string& known : built_in_profiles(kind)) {
    if (!names.empty()) names += ", ";
    names += known;
  }
  throw ConfigurationError(origin + " is neither built in (" + names +
                           ") nor a file that can be read");
}

/// The built-in profile or file `name`; `origin` becomes what errors call it.
toml::table read_table(const std::string& kind, const std::string& name, std::string& origin) {
  origin = kind + " profile '" + name + "'";
  const std::string text = profile_text(kind, name, origin);
  if (const auto line = line_of_too_deep_key(text)) {
    throw ConfigurationError(origin + ", line " + std::to_string(*line) + ": a key has more than " +
                             std::to_string(kDeepestKey) + " names");
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw ConfigurationError(origin + ", line " + std::to_string(error.source().begin.line) + ": " +
                             std::string(error.description()));
  }
}

// A value as the file has it, if it is short.
std::string shown(const toml::node* node) {
  if (node == nullptr) return "missing";
  constexpr std::size_t kMost = 40;
  if (const auto* text = node->as_string()) {
    return "the text '" + text->get().substr(0, kMost) + "'";
  }
  if (const auto* flag = node->as_boolean()) return flag->get() ? "true" : "false";
  if (const auto number = node->value<double>()) return plain_number(*number);
  return node->is_array() ? "a list" : node->is_table() ? "a table" : "a date or time";
}

[[noreturn]] void refuse_member(const std::string& what, const toml::table& entry,
                                const char* member, const std::string& expected) {
  throw ConfigurationError(what + ": its " + member + " is " + shown(entry.get(member)) +
                           "; expected " + expected);
}

template <typename Profile>
void read_constant(const std::string& origin, const toml::table& table,
                   const ConstantSchema<Profile>& schema, Profile& profile) {
  const std::string what = origin + ": constant '" + schema.key + "'";
  const toml::table* entry = table[schema.key].as_table();
  if (entry == nullptr) {
    const toml::node* other = table.get(schema.key);
    if (other == nullptr && schema.otherwise) {
      return schema.set(profile, scaled(schema.kind, *schema.otherwise));
    }
    throw ConfigurationError(what + " is " + shown(other) +
                             (other != nullptr ? "; expected { value, unit, source }" : ""));
  }
  for (const auto& [key, node] : *entry) {
    if (key == "value" || key == "unit" || key == "source") continue;
    throw ConfigurationError(what + " has a member '" + std::string(key.str()) +
                             "', allowed are value, unit and source");
  }
  const auto value = (*entry)["value"].template value<double>();
  if (!value) refuse_member(what, *entry, "value", schema.range.text());
  const auto unit = (*entry)["unit"].template value<std::string>();
  if (unit != std::string(schema.unit)) {
    refuse_member(what, *entry, "unit", "'" + std::string(schema.unit) + "'");
  }
  if ((*entry)["source"].template value<std::string>().value_or("").empty()) {
    refuse_member(what, *entry, "source", "a text that tells where the value is from");
  }
  check_range(what, *value, schema.range);
  schema.set(profile, scaled(schema.kind, *value));
}

/// The fabric profile that a NIC profile names.
void read_fabric(const std::string& origin, const toml::table& table, NicProfile& profile) {
  const auto fabric = table["fabric"].value<std::string>();
  if (!fabric) {
    throw ConfigurationError(origin + ": 'fabric' is " + shown(table.get("fabric")) +
                             "; expected the name of a fabric profile");
  }
  profile.fabric = *fabric;
}
template <typename Profile>
void read_fabric(const std::string&, const toml::table&, Profile&) {}

template <typename Profile>
Profile load(const std::string& kind, const std::string& name, const Options& options,
             std::span<const ConstantSchema<Profile>> schema) {
  std::string origin;
  const toml::table table = read_table(kind, name, origin);
  const std::vector<std::string> keys = keys_of(schema);
  for (const auto& [key, node] : table) {
    const std::string text(key.str());
    if (text == "description" || text == "origin" || text == "estimate" ||
        (kind == "nic" && text == "fabric") ||
        std::find(keys.begin(), keys.end(), text) != keys.end())
      continue;
    throw ConfigurationError(unknown_constant(origin + ": ", text, keys));
  }
  for (const char* text : {"description", "origin"}) {
    if (const toml::node* node = table.get(text); node != nullptr && !node->is_string()) {
      throw ConfigurationError(origin + ": '" + text + "' is " + shown(node) + "; expected a text");
    }
  }
  if (const toml::node* node = table.get("estimate"); node != nullptr && !node->is_boolean()) {
    throw ConfigurationError(origin + ": 'estimate' is " + shown(node) +
                             "; expected true or false");
  }
  Profile profile{};
  read_fabric(origin, table, profile);
  for (const auto& constant : schema) read_constant(origin, table, constant, profile);
  for (const auto& constant : schema) {
    if (const auto value = options.value(kind + "." + constant.key)) {
      constant.set(profile, scaled(constant.kind, *value));
    }
  }
  return profile;
}

std::string allowed_text(const Range& range, const std::string& unit) {
  const std::string text = range.text();
  return text == unit ? text : text + " (" + unit + ")";
}

/// Says what is expected instead; empty when the range has it.
std::string check_text(const Range& range, const std::string& unit, const std::string& text) {
  const auto value = parse_real(text);
  return value && range.has(*value) ? "" : "expected " + allowed_text(range, unit);
}

}  // namespace

std::vector<Parameter> parameters(Options& options) {
  std::vector<Parameter> all;
  const auto add = [&](const std::string& kind, const auto& schema) {
    for (const auto& constant : schema) {
      const std::string key = kind + "." + constant.key;
      all.push_back(
          {.name = key,
           .help = constant.help,
           .target = &options.values_[key],
           .check = [range = constant.range, unit = constant.unit](
                        const std::string& text) { return check_text(range, unit, text); },
           .allowed = allowed_text(constant.range, constant.unit)});
    }
  };
  add("nic", nic_schema());
  add("cpu", cpu_schema());
  add("fabric", fabric_schema());
  return all;
}

void Options::set(const std::string& key, const std::string& value) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : parameters(*this)) {
    if (parameter.name == key) return assign(parameter, value);
    keys.push_back(parameter.name);
  }
  throw ConfigurationError("constant '" + key + "' is unknown" + did_you_mean(key, keys));
}

std::optional<double> Options::value(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : found->second;
}

ProfileInfo profile_info(const std::string& kind, const std::string& name) {
  std::string origin;
  const toml::table table = read_table(kind, name, origin);
  return {.description = table["description"].value_or(std::string()),
          .origin = table["origin"].value_or(std::string()),
          .estimate = table["estimate"].value_or(false),
          .fabric = table["fabric"].value_or(std::string())};
}

PcieLink pcie_link(const NicProfile& nic, const CpuProfile& cpu) {
  return {.lanes = std::min(nic.pcie_lanes, cpu.pcie_lanes),
          .lane_rate = std::max(nic.pcie_lane_rate, cpu.pcie_lane_rate)};  // times: the slower
}

NicProfile load_nic_profile(const std::string& name, const Options& options) {
  return load("nic", name, options, nic_schema());
}

CpuProfile load_cpu_profile(const std::string& name, const Options& options) {
  return load("cpu", name, options, cpu_schema());
}

FabricProfile load_fabric_profile(const std::string& name, const Options& options) {
  FabricProfile profile = load("fabric", name, options, fabric_schema());
  profile.link_bytes_per_second = 1e12 * 1024 / static_cast<double>(profile.link_rate);
  return profile;
}

}  // namespace verbena::simnic
