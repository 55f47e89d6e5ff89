// Advice for who gave several values where one is expected.
#pragma once

#include <string>

namespace verbena::experiments {

/// "; it takes no list" where `value` is a list, or a range, of values that `key` may have one of;
/// otherwise empty, since then something else is wrong with it.
std::string list_hint(const std::string& key, const std::string& value);

}  // namespace verbena::experiments
