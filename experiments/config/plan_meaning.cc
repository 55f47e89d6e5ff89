// Members by name; later ones replace earlier ones.
#include "experiments/config/plan_meaning.h"

#include <cstddef>
#include <map>

#include "rdma/base/text/split.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

// "on" for all texts of a switch that mean it.
std::string meant(const std::string& value) {
  const auto on = parse_switch(value);
  return !on ? value : *on ? "on" : "off";
}

}  // namespace

std::string plan_meaning(const std::string& changes) {
  if (changes.empty()) return "";
  std::map<std::string, std::string> members;
  for (const std::string& change : split(changes, ',')) {
    const std::size_t equals = change.find('=');
    const std::string name = change.substr(0, equals);
    const std::string value = meant(change.substr(equals + 1));
    const std::size_t dot = name.find('.');
    if (name.substr(0, dot) == "validate") {
      members["lock" + (dot == std::string::npos ? "" : name.substr(dot))] = value;
    }
    members[name] = value;
  }
  std::string text;
  // Backwards, so that what is said of locking stands behind `validate`.
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (!text.empty()) text += ',';
    text.append(member->first).append("=").append(member->second);
  }
  return text;
}

}  // namespace verbena::experiments
