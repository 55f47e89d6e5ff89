// Reading systems, and plans by name.
#include "txn/plan/plan_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/key_depth.h"
#include "txn/plan/plan_member.h"

namespace verbena::txn {
namespace {

constexpr std::string_view kSuffix = ".toml";
// Protocol of the systems that are plans.
constexpr std::string_view kPlanProtocol = "occ";

// Members of a table in the order of the file: the library has them by name, and people read from
// the top.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(key.str(), &node);
  const auto begin = [](const auto& member) {
    const toml::source_position& at = member.second->source().begin;
    return std::pair(at.line, at.column);
  };
  std::sort(members.begin(), members.end(),
            [&](const auto& a, const auto& b) { return begin(a) < begin(b); });
  return members;
}

class PlanReader {
 public:
  PlanReader(const std::string& name, std::string file) : file_(std::move(file)) {
    plan_.name = name;
    plan_.location_cache = false;
  }

  Plan read(const toml::table& table) {
    for (const auto& [key, node] : in_file_order(table)) read_member(key, *node);
    for (const PhaseName& phase : phase_names()) {
      if (!given_.contains(phase.name)) {
        complain(table, "table [" + std::string(phase.name) + "] is missing; phases are " +
                            allowed_phases());
      }
    }
    for (const char* text : {"description", "source"}) {
      if (!given_.contains(text)) complain(table, std::string(text) + " is missing");
    }
    return plan_;
  }

 private:
  void read_member(const std::string& key, const toml::node& node) {
    given_.insert(key);
    if (key == "protocol") return;  // whoever chose this reader has read it
    if (key == "description" || key == "source") {
      const auto text = node.value<std::string>();
      if (!node.is_string() || text->empty()) complain(node, key + ": expected a text");
      (key == "source" ? plan_.source : plan_.description) = *text;
      return;
    }
    for (const PhaseName& phase : phase_names()) {
      if (key != phase.name) continue;
      if (!node.is_table()) complain(node, key + ": expected a table");
      return read_phase(phase, *node.as_table());
    }
    complain(node, key + ": unknown; allowed are protocol, description, source and the phases " +
                       allowed_phases());
  }

  void read_phase(const PhaseName& phase, const toml::table& table) {
    PhasePlan& plan = plan_.*phase.phase;
    plan = {.primitive = plan.primitive, .outstanding = false, .doorbell = false, .passive = false};
    if (!table.contains("primitive")) {
      complain(table, std::string("[") + phase.name + "] has no primitive");
    }
    for (const auto& [name, node] : in_file_order(table)) {
      try {
        read_value(phase, name, *node);
      } catch (const ConfigurationError& error) {
        complain(*node, std::string("[") + phase.name + "]: " + error.what());
      }
    }
  }

  void read_value(const PhaseName& phase, const std::string& name, const toml::node& node) {
    if (name == "primitive") {
      if (!node.is_string()) throw ConfigurationError("primitive: expected a text");
      return set_primitive(plan_, phase, node.as_string()->get());
    }
    const bool on = node.is_boolean() && node.as_boolean()->get();
    set_option(plan_, phase, name, on);
    if (!node.is_boolean()) throw ConfigurationError(name + ": expected true or false");
  }

  [[noreturn]] void complain(const toml::node& node, const std::string& what) const {
    const auto line = std::max<std::size_t>(1, node.source().begin.line);
    throw ConfigurationError(file_ + ":" + std::to_string(line) + ": " + what);
  }

  std::string file_;
  std::set<std::string> given_;
  Plan plan_;
};

}  // namespace

namespace {

toml::table parse_toml(const std::string& file, std::string_view text) {
  if (const auto line = line_of_too_deep_key(text)) {
    throw ConfigurationError(file + ":" + std::to_string(*line) + ": a key has more than " +
                             std::to_string(kDeepestKey) + " names");
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw ConfigurationError(file + ":" + std::to_string(error.source().begin.line) + ": " +
                             std::string(error.description()));
  }
}

SystemText text_of(const std::string& name, const std::string& built_in) {
  return {.name = name, .file = name + ".toml", .text = built_in};
}

SystemText built_in_text(const std::string& name) {
  const auto found = built_in_systems().find(name);
  if (found != built_in_systems().end()) return text_of(name, found->second);
  std::string allowed;
  for (const auto& [known, text] : built_in_systems()) {
    allowed += (allowed.empty() ? "" : ", ") + known;
  }
  throw ConfigurationError("plan '" + name + "' is unknown; allowed are " + allowed);
}

Plan plan_of(const SystemText& system) { return parse_plan(system.name, system.file, system.text); }

}  // namespace

Plan parse_plan(const std::string& name, const std::string& file, std::string_view text) {
  return PlanReader(name, file).read(parse_toml(file, text));
}

SystemText system_text(const std::string& system) {
  if (!system.ends_with(kSuffix)) return built_in_text(system);
  return {.name = std::filesystem::path(system).stem().string(),
          .file = system,
          .text = read_input_file(system, "system '" + system + "'")};
}

std::string protocol_of(const SystemText& system) {
  const toml::table table = parse_toml(system.file, system.text);
  const toml::node* protocol = table.get("protocol");
  if (protocol == nullptr) return std::string(kPlanProtocol);
  if (const auto* name = protocol->as_string()) return name->get();
  throw ConfigurationError(system.file + ":" + std::to_string(protocol->source().begin.line) +
                           ": protocol: expected a text");
}

SystemWords system_words(const std::string& name, const std::string& file, std::string_view text) {
  const toml::table table = parse_toml(file, text);
  const auto complain = [&](const toml::node& node, const std::string& what) {
    const auto line = std::max<std::size_t>(1, node.source().begin.line);
    throw ConfigurationError(file + ":" + std::to_string(line) + ": " + what);
  };
  SystemWords words{.name = name, .description = {}, .source = {}};
  for (const auto& [key, node] : in_file_order(table)) {
    if (key == "protocol") continue;
    if (key != "description" && key != "source") {
      complain(*node, key + ": unknown; allowed are protocol, description and source");
    }
    const auto value = node->value<std::string>();
    if (!node->is_string() || value->empty()) complain(*node, key + ": expected a text");
    (key == "source" ? words.source : words.description) = *value;
  }
  if (words.description.empty()) complain(table, "description is missing");
  if (words.source.empty()) complain(table, "source is missing");
  return words;
}

Plan plan_preset(const std::string& name) { return plan_of(built_in_text(name)); }

std::vector<std::string> plan_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in_systems()) {
    if (protocol_of(text_of(name, text)) == kPlanProtocol) names.push_back(name);
  }
  return names;
}

}  // namespace verbena::txn
