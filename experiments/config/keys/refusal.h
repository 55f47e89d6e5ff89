// Refusing a value that a command has.
#pragma once

#include <string>

#include "experiments/config/keys/key.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// Throws ParameterError for `key` with the value that `command` has of it; `why` says what is
/// allowed.
template <typename AnyOf>
[[noreturn]] void refuse(const AnyOf& command, const char* key, const std::string& why) {
  AnyOf copy = command;
  const Keys all = keys(copy);
  throw ParameterError(key, value_text(find_key(all, key)->parameter), why);
}

}  // namespace verbena::experiments
