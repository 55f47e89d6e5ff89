// Trying each of several values by itself.
#include "experiments/config/list_hint.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "experiments/config/commands/registry.h"
#include "rdma/base/text/split.h"

namespace verbena::experiments {
namespace {

// True if a parameter like this one may be `text`; it keeps the value that it has.
bool takes(Parameter parameter, const std::string& text) {
  const auto try_in = [&](auto target) {
    using Target = decltype(target);
    if constexpr (std::is_pointer_v<Target>) {
      std::remove_pointer_t<Target> value{};
      parameter.target = &value;
      assign(parameter, text);
    } else {
      parameter.target = Parameter::Choice{[] { return 0; }, [](std::size_t) {}};
      assign(parameter, text);
    }
  };
  try {
    std::visit(try_in, Parameter::Target(parameter.target));
    return true;
  } catch (const ConfigurationError&) {
    return false;
  }
}

// The values of "4,8", or the ends of "4..8", with what follows the last of them.
std::vector<std::string> values_in(const std::string& text) {
  if (text.find(',') != std::string::npos) return split(text, ',');
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {};
  const std::string last = text.substr(dots + 2);
  return {text.substr(0, dots), last.substr(0, last.find_first_of("+*"))};
}

}  // namespace

std::string list_hint(const std::string& key, const std::string& value) {
  // Values of these have commas or dots of their own.
  constexpr std::array<std::string_view, 5> kOfTheirOwn = {"peers", "plan", "topology", "seeds",
                                                           "gather"};
  if (std::ranges::find(kOfTheirOwn, key) != kOfTheirOwn.end()) return "";
  const Key* known = find_key(known_keys(), key);
  if (known == nullptr) return "";
  const std::vector<std::string> values = values_in(value);
  const bool is_list = values.size() > 1 && std::ranges::all_of(values, [&](const auto& one) {
                         return takes(known->parameter, one);
                       });
  return is_list ? "; it takes no list" : "";
}

}  // namespace verbena::experiments
