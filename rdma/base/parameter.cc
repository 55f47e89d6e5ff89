// Parameters of all types: what they may be, from text and to text.
#include "rdma/base/parameter.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "rdma/base/text/nearest_name.h"
#include "rdma/base/value_text.h"

namespace verbena {
namespace {

constexpr const char* kAutomatic = "auto";

std::string whole_text(double value) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return std::to_string(value >= kTwoTo64 ? UINT64_MAX : static_cast<std::uint64_t>(value));
}

std::string whole_numbers(const Parameter& parameter) {
  const std::string kind = parameter.step == 1 ? std::string("a whole number")
                                               : "a multiple of " + std::to_string(parameter.step);
  return kind + " from " + whole_text(parameter.minimum) + " to " + whole_text(parameter.maximum);
}

std::string joined(const std::vector<std::string>& names, const char* separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

// A limit of a duration.
Nanoseconds nanoseconds(double limit) { return Nanoseconds(static_cast<std::int64_t>(limit)); }

// Text of the values that a parameter's type and range allow.
struct AllowedText {
  const Parameter& parameter;

  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::uint32_t*) const { return whole_numbers(parameter); }
  std::string operator()(const std::uint64_t*) const { return whole_numbers(parameter); }
  std::string operator()(const std::optional<std::uint32_t>*) const {
    return whole_numbers(parameter) + ", or " + kAutomatic;
  }
  std::string operator()(const double*) const {
    return "a number from " + format_real(parameter.minimum) + " to " +
           format_real(parameter.maximum);
  }
  std::string operator()(const std::optional<double>*) const {
    return (*this)(static_cast<const double*>(nullptr));
  }
  std::string operator()(const Nanoseconds*) const {
    return "a time from " + format_duration(nanoseconds(parameter.minimum)) + " to " +
           format_duration(nanoseconds(parameter.maximum)) + " with its unit (ns, us, ms, s, min)";
  }
  std::string operator()(const std::optional<Nanoseconds>*) const {
    return (*this)(static_cast<const Nanoseconds*>(nullptr)) + ", or " + kAutomatic;
  }
  std::string operator()(const std::string*) const {
    return parameter.choices.empty() ? std::string("a text") : names();
  }
  std::string operator()(const Parameter::Choice&) const { return names(); }

  std::string names() const {
    return joined(parameter.choices, ", ") + (parameter.or_file ? ", or FILE.toml" : "");
  }
};

struct ValueText {
  const Parameter& parameter;

  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::uint32_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::optional<std::uint32_t>* value) const {
    return *value ? std::to_string(**value) : kAutomatic;
  }
  std::string operator()(const double* value) const { return format_real(*value); }
  std::string operator()(const std::optional<double>* value) const {
    return *value ? format_real(**value) : "";
  }
  std::string operator()(const Nanoseconds* value) const { return format_duration(*value); }
  std::string operator()(const std::optional<Nanoseconds>* value) const {
    return *value ? format_duration(**value) : kAutomatic;
  }
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const Parameter::Choice& value) const {
    return parameter.choices.at(value.get());
  }
};

// Without the condition.
std::string range_text(const Parameter& parameter) {
  return parameter.allowed.empty() ? std::visit(AllowedText{parameter}, parameter.target)
                                   : parameter.allowed;
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".toml");
}

// Parses a text into the target of its type.
class Assigner {
 public:
  Assigner(const Parameter& parameter, const std::string& text)
      : parameter_(parameter), text_(text) {}

  void operator()(bool* target) const { *target = required(parse_switch(text_)); }
  void operator()(std::uint32_t* target) const { *target = static_cast<std::uint32_t>(whole()); }
  void operator()(std::uint64_t* target) const { *target = whole(); }
  void operator()(std::optional<std::uint32_t>* target) const {
    if (text_ == kAutomatic) {
      target->reset();
    } else {
      *target = static_cast<std::uint32_t>(whole());
    }
  }
  void operator()(double* target) const { *target = in_range(parse_real(text_)); }
  void operator()(std::optional<double>* target) const {
    const auto value = parse_real(text_);
    *target = parameter_.check ? required(value) : in_range(value);
  }
  void operator()(Nanoseconds* target) const { *target = in_range(parse_duration(text_)); }
  void operator()(std::optional<Nanoseconds>* target) const {
    if (text_ == kAutomatic) {
      target->reset();
    } else {
      *target = in_range(parse_duration(text_));
    }
  }
  void operator()(std::string* target) const {
    if (!parameter_.choices.empty() && !(parameter_.or_file && is_path(text_))) index();
    const bool file = parameter_.or_file && is_path(text_);
    if (file && !text_.ends_with(".toml")) {
      refuse("the file of a " + parameter_.name + " has to end in .toml");
    }
    // So that results can be repeated from another directory.
    *target = file ? std::filesystem::absolute(text_).lexically_normal().string() : text_;
  }
  void operator()(const Parameter::Choice& target) const { target.set(index()); }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ParameterError(parameter_.name, text_, why);
  }

  template <typename Value>
  Value required(const std::optional<Value>& value) const {
    if (!value) refuse("expected " + range_text(parameter_));
    return *value;
  }

  template <typename Value>
  Value in_range(const std::optional<Value>& value) const {
    const double number = number_of(required(value));
    if (number < parameter_.minimum || number > parameter_.maximum) {
      refuse("expected " + range_text(parameter_));
    }
    return *value;
  }

  template <typename Value>
  static double number_of(Value value) {
    return static_cast<double>(value);
  }
  static double number_of(Nanoseconds value) { return static_cast<double>(value.count()); }

  std::uint64_t whole() const {
    const std::uint64_t value = in_range(parse_whole(text_));
    if (value % parameter_.step != 0) refuse("expected " + range_text(parameter_));
    return value;
  }

  std::size_t index() const {
    const auto& choices = parameter_.choices;
    const auto found = std::find(choices.begin(), choices.end(), text_);
    if (found == choices.end()) {
      refuse("unknown " + parameter_.name + did_you_mean(text_, choices) +
             " (known: " + joined(choices, ", ") + ")");
    }
    return static_cast<std::size_t>(found - choices.begin());
  }

  const Parameter& parameter_;
  const std::string& text_;
};

}  // namespace

ParameterError::ParameterError(std::string key, std::string value, std::string why)
    : ConfigurationError(key + " = " + quoted_if_odd(value) + ": " + why),
      key_(std::move(key)),
      value_(std::move(value)),
      why_(std::move(why)) {}

std::string allowed_values(const Parameter& parameter) {
  const std::string values = range_text(parameter);
  return parameter.condition.empty() ? values : values + ", " + parameter.condition;
}

std::string value_text(const Parameter& parameter) {
  return std::visit(ValueText{parameter}, parameter.target);
}

void assign(const Parameter& parameter, const std::string& text) {
  if (parameter.check) {
    if (const std::string why = parameter.check(text); !why.empty()) {
      throw ParameterError(parameter.name, text, why);
    }
  }
  std::visit(Assigner(parameter, text), parameter.target);
}

void check_value(const Parameter& parameter) {
  const std::string text = value_text(parameter);
  assign(parameter, text);
  if (parameter.holds && !parameter.holds()) {
    throw ParameterError(parameter.name, text, "expected " + allowed_values(parameter));
  }
}

}  // namespace verbena
