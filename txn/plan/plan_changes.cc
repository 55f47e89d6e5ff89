// "PHASE=PRIMITIVE,PHASE.OPTION=on|off,..." applied to a plan.
#include <cstddef>

#include "rdma/base/errors.h"
#include "rdma/base/text/split.h"
#include "rdma/base/value_text.h"
#include "txn/plan/plan_member.h"

namespace verbena::txn {
namespace {

// `validate` stands for both of its parts, the write set's and the read set's.
constexpr std::string_view kBoth = "validate";

struct Change {
  std::string phase;
  std::string option;  // empty: its primitive
  std::string value;
};

Change parse_change(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw ConfigurationError("'" + text +
                             "': expected PHASE=PRIMITIVE or PHASE.OPTION=on|off, as in "
                             "log=two-sided,commit.passive_ack=off");
  }
  const std::string name = text.substr(0, equals);
  const std::size_t dot = name.find('.');
  return {.phase = name.substr(0, dot),
          .option = dot == std::string::npos ? "" : name.substr(dot + 1),
          .value = text.substr(equals + 1)};
}

bool parse_on(const std::string& value) {
  if (const auto on = parse_switch(value)) return *on;
  throw ConfigurationError("'" + value + "': allowed are on and off");
}

void apply(Plan& plan, const PhaseName& phase, const Change& change) {
  if (change.option.empty()) {
    set_primitive(plan, phase, change.value);
  } else {
    set_option(plan, phase, change.option, parse_on(change.value));
  }
}

}  // namespace

Plan changed(Plan plan, const std::string& changes) {
  if (changes.empty()) return plan;
  for (const std::string& text : split(changes, ',')) {
    const Change change = parse_change(text);
    bool known = false;
    for (const PhaseName& phase : phase_names()) {
      const bool meant =
          change.phase == phase.name || (change.phase == kBoth && phase.phase == &Plan::lock);
      if (!meant) continue;
      apply(plan, phase, change);
      known = true;
    }
    if (!known) {
      throw ConfigurationError("unknown phase '" + change.phase + "'; allowed are " +
                               allowed_phases());
    }
  }
  return plan;
}

}  // namespace verbena::txn
