// Looking a parameter up.
#include "tests/workloads/run/set_parameter.h"

#include <stdexcept>

namespace verbena::testing {

void set_parameter(workloads::WorkloadFactory& factory, const std::string& name,
                   const std::string& value) {
  for (const Parameter& parameter : factory.parameters()) {
    if (parameter.name == name) return assign(parameter, value);
  }
  throw std::logic_error("there is no parameter " + name);
}

void set_parameter(txn::System& system, const std::string& name, const std::string& value) {
  for (const txn::ParameterSection& section : system.parameters()) {
    for (const Parameter& parameter : section.parameters) {
      if (parameter.name == name) return assign(parameter, value);
    }
  }
  throw std::logic_error("there is no parameter " + name);
}

}  // namespace verbena::testing
