// Advice for users who gave several values where one is expected.
#pragma once

#include <string>

namespace verbena::experiments {

/// Returns "; it takes no list" when `value` is a list or range of values that are valid for `key`
/// one by one; otherwise empty.
std::string list_hint(const std::string& key, const std::string& value);

}  // namespace verbena::experiments
