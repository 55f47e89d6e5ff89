// One value that users may set: its name, what it means, what is allowed, and where it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/time.h"

namespace verbena {

/// A value that users may set. The owner of an options structure gives one for each, e.g.
///
///     std::vector<Parameter> parameters(TpccOptions& options) {
///       return {{.name = "items", .help = "rows of ITEM", .target = &options.items,
///                .minimum = 1, .maximum = 1'000'000}};
///     }
///
/// The command line, configuration files, help texts and reports are made from these; nobody else
/// knows the names. The default is the value that the target has before anything is set.
struct Parameter {
  /// A choice among `choices` by index, such as an enumeration.
  struct Choice {
    std::function<std::size_t()> get;
    std::function<void(std::size_t)> set;
  };

  /// Storage of the value, which also gives its type. An empty optional whole number or duration is
  /// "auto" to users; an empty optional real number is kept elsewhere, such as in a profile.
  using Target = std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, Nanoseconds*,
                              std::string*, std::optional<std::uint32_t>*,
                              std::optional<Nanoseconds>*, std::optional<double>*, Choice>;

  std::string name;  ///< of the key, without its section: "items" of "workload.items"
  std::string help;  ///< one sentence: what it means, with the unit of a number
  Target target;
  double minimum = 0;                     ///< of numbers, included; of durations in nanoseconds
  double maximum = 0;                     ///< of numbers, included
  std::uint64_t step = 1;                 ///< whole numbers are multiples of it
  std::vector<std::string> choices = {};  ///< all texts allowed; empty: any text
  bool or_file = false;                   ///< or, besides the choices, the path of a TOML file
  /// Text of a further condition, on other parameters too: "at most half of ...", ...
  std::string condition = {};
  /// ... and the function that checks it; empty where other code does.
  std::function<bool()> holds = {};
  /// Returns what is expected instead of `text`, e.g. "expected host:port"; empty when it is fine.
  std::function<std::string(const std::string& text)> check = {};
  /// Text of the allowed values, where it does not follow from the members above: "0 or 1".
  std::string allowed = {};
  /// Name of a flag of its own, without dashes, which is then the key's name too: "warehouses".
  std::string flag = {};
  std::string placeholder = {};  ///< of the flag's value in help texts: "N"
  /// Text of the default, where it follows from something else: "all that --servers leaves".
  std::string otherwise = {};

  bool is_switch() const { return std::holds_alternative<bool*>(target); }
};

/// A value that a parameter may not have.
class ParameterError : public ConfigurationError {
 public:
  /// `what()` is "KEY = VALUE: WHY".
  ParameterError(std::string key, std::string value, std::string why);

  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  const std::string& why() const { return why_; }  ///< what is allowed, or why this is not

 private:
  std::string key_;
  std::string value_;
  std::string why_;
};

/// Makes a Choice of an enumeration or bool with values 0, 1, ... in the order of `choices`.
template <typename Value>
Parameter::Choice choice_of(Value& member) {
  return {.get = [&member] { return static_cast<std::size_t>(member); },
          .set = [&member](std::size_t index) { member = static_cast<Value>(index); }};
}

/// Returns the text of a parameter's allowed values, e.g. "a whole number from 1 to 4", "true or
/// false", with its condition.
std::string allowed_values(const Parameter& parameter);

/// Returns the current value in the form that `assign` takes. Empty for an empty text, and for a
/// real number that is kept elsewhere.
std::string value_text(const Parameter& parameter);

/// Parses `text` into the target. Throws ParameterError when it is not allowed. Does not check the
/// condition.
void assign(const Parameter& parameter, const std::string& text);

/// Throws ParameterError when a parameter's value is not allowed or its condition does not hold.
void check_value(const Parameter& parameter);

}  // namespace verbena
