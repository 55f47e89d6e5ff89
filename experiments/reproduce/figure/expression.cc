// Evaluation while parsing: claims are short and evaluated once.
#include "experiments/reproduce/figure/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double divided(double a, double b) { return b == 0 ? kUnknown : a / b; }

class Evaluator {
 public:
  Evaluator(std::string_view text, const CurveLookup& lookup) : text_(text), lookup_(lookup) {}

  Value whole() {
    Value value = statement();
    skip_space();
    if (at_ != text_.size()) complain("expected an operator or the end");
    return value;
  }

 private:
  Value statement() {
    Value value = comparison();
    while (take_word("and")) {
      Value right = comparison();
      const auto* first = std::get_if<Ordering>(&value);
      const auto* second = std::get_if<Ordering>(&right);
      if (first == nullptr || second == nullptr) complain("'and' joins comparisons");
      // One that is broken decides, whatever is unknown of the other.
      const auto broken = [](const Ordering& o) { return o.known && !o.holds; };
      const std::size_t places = first->places + second->places;
      const std::size_t left_out = first->left_out + second->left_out;
      const double margin = std::min(first->margin, second->margin);
      const bool both = !first->numbers.empty() && !second->numbers.empty();
      const std::string numbers = first->numbers + (both ? ", " : "") + second->numbers;
      if (!broken(*first) && (broken(*second) || !second->known)) value = right;
      std::get<Ordering>(value).places = places;
      std::get<Ordering>(value).left_out = left_out;
      std::get<Ordering>(value).numbers = numbers;
      std::get<Ordering>(value).margin = margin;
    }
    return value;
  }

  Value comparison() {
    const std::size_t start = at_;
    Value left = sum();
    const std::size_t end = at_;
    for (const char* op : {"<=", ">=", "<", ">"}) {
      if (!take(op)) continue;
      const std::size_t right_start = at_;
      const Value right = sum();
      return compare({op, source(start, end), source(right_start, at_)}, left, right);
    }
    return left;
  }

  Value sum() {
    Value value = product();
    for (;;) {
      if (take("+")) {
        value = combine(value, product(), [](double a, double b) { return a + b; });
      } else if (take("-")) {
        value = combine(value, product(), [](double a, double b) { return a - b; });
      } else {
        return value;
      }
    }
  }

  Value product() {
    Value value = factor();
    for (;;) {
      if (take("*")) {
        value = combine(value, factor(), [](double a, double b) { return a * b; });
      } else if (take("/")) {
        value = combine(value, factor(), divided);
      } else {
        return value;
      }
    }
  }

  Value factor() {
    if (depth_ == kDeepest) complain(fmt::format("more than {} levels", kDeepest));
    ++depth_;
    Value value = take("-")
                      ? combine(Value(0.0), factor(), [](double a, double b) { return a - b; })
                      : primary();
    --depth_;
    while (take("[")) value = selected(std::move(value));
    return value;
  }

  Value primary() {
    if (take("(")) {
      Value value = statement();
      expect(")");
      return value;
    }
    if (const auto value = take_number()) return *value;
    const std::string name = take_name();
    if (name.empty()) complain("expected a number, a series or '('");
    if (take("(")) {
      Value value = sum();
      expect(")");
      return reduced(name, value);
    }
    const std::string quantity = take(".") ? take_name() : "";
    Curve curve = lookup_(name, quantity);
    if (curve.empty()) complain(name + " has no points");
    return curve;
  }

  Value reduced(const std::string& function, const Value& value) {
    const auto* curve = std::get_if<Curve>(&value);
    if (curve == nullptr) complain(function + "() takes a curve");
    if (std::any_of(curve->begin(), curve->end(), [](const auto& p) { return std::isnan(p.y); })) {
      return kUnknown;
    }
    const auto by_y = [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; };
    if (function == "max") return std::max_element(curve->begin(), curve->end(), by_y)->y;
    if (function == "min") return std::min_element(curve->begin(), curve->end(), by_y)->y;
    if (function != "mean") complain("unknown function " + function + ": max, min or mean");
    double total = 0;
    for (const CurvePoint& point : *curve) total += point.y;
    return total / static_cast<double>(curve->size());
  }

  // A condition between the brackets: it takes some of the points.
  struct Selector {
    std::string label;  // of exactly this place
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool open = false;  // the limits themselves do not count

    bool takes(const CurvePoint& point) const {
      if (!label.empty()) return point.at == label;
      return open ? point.x > low && point.x < high : point.x >= low && point.x <= high;
    }
  };

  Selector selector() {
    Selector result;
    for (const char* op : {"<=", ">=", "<", ">"}) {
      if (!take(op)) continue;
      (op[0] == '<' ? result.high : result.low) = needed_number();
      result.open = op[1] == '\0';
      return result;
    }
    if (take("\"")) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) complain("a \" is missing");
      result.label = text_.substr(at_, end - at_);
      at_ = end + 1;
      return result;
    }
    result.low = result.high = needed_number();
    if (take("..")) result.high = needed_number();
    return result;
  }

  Value selected(Value value) {
    const auto* curve = std::get_if<Curve>(&value);
    if (curve == nullptr) complain("[ ] needs a curve before it");
    std::vector<Selector> selectors{selector()};
    while (take(",")) selectors.push_back(selector());
    expect("]");
    Curve result;
    for (const CurvePoint& point : *curve) {
      const bool taken = std::any_of(selectors.begin(), selectors.end(),
                                     [&](const Selector& s) { return s.takes(point); });
      if (taken) result.push_back(point);
    }
    if (result.empty()) complain("the selection before this place has no points");
    const Selector& first = selectors.front();
    const bool single = selectors.size() == 1 && (!first.label.empty() || first.low == first.high);
    if (single) return result.front().y;
    return result;
  }

  template <typename Operation>
  Value combine(const Value& left, const Value& right, Operation operation) {
    const auto* a = std::get_if<double>(&left);
    const auto* b = std::get_if<double>(&right);
    if (a != nullptr && b != nullptr) return operation(*a, *b);
    Curve result;
    for (const auto& [point, x, y] : paired(left, right)) {
      result.push_back({point.at, point.x, operation(x, y)});
    }
    return result;
  }

  struct Pair {
    CurvePoint point;
    double left;
    double right;
  };

  // The points at which both sides have a value; a number has it everywhere.
  std::vector<Pair> paired(const Value& left, const Value& right) {
    if (std::holds_alternative<Ordering>(left) || std::holds_alternative<Ordering>(right)) {
      complain("a comparison is not a number");
    }
    const auto* a = std::get_if<Curve>(&left);
    const auto* b = std::get_if<Curve>(&right);
    std::vector<Pair> pairs;
    if (a != nullptr && b != nullptr) note_unpaired(*a, *b);
    for (const CurvePoint& point : a != nullptr ? *a : *b) {
      const double x = a != nullptr ? point.y : std::get<double>(left);
      if (a == nullptr || b == nullptr) {
        pairs.push_back({point, x, b != nullptr ? point.y : std::get<double>(right)});
        continue;
      }
      const auto match = std::find_if(
          b->begin(), b->end(), [&](const CurvePoint& other) { return other.at == point.at; });
      if (match != b->end()) pairs.push_back({point, x, match->y});
    }
    if (pairs.empty()) complain("the curves before this place have no points in common");
    return pairs;
  }

  // Notes the points that only one of two curves has.
  void note_unpaired(const Curve& a, const Curve& b) {
    const auto add = [this](const Curve& from, const Curve& other) {
      for (const CurvePoint& point : from) {
        const bool both = std::any_of(other.begin(), other.end(),
                                      [&](const CurvePoint& p) { return p.at == point.at; });
        if (!both) unpaired_.insert(point.at);
      }
    };
    add(a, b);
    add(b, a);
  }

  // A comparison as it is written.
  struct Comparison {
    std::string_view op;
    std::string_view left;
    std::string_view right;

    bool holds(double x, double y) const {
      return op == "<" ? x < y : op == "<=" ? x <= y : op == ">" ? x > y : x >= y;
    }
    double margin(double x, double y) const {
      const double larger = std::max(std::abs(x), std::abs(y));
      const double ahead = op.starts_with('<') ? y - x : x - y;
      return larger == 0 ? 0 : ahead / larger;
    }
  };

  std::string_view source(std::size_t start, std::size_t end) const {
    std::string_view text = text_.substr(start, end - start);
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  // A side of a broken comparison: its value, and what it is the value of.
  static std::string side(double value, std::string_view written) {
    const std::string text = format_plain(value, 4);
    return parse_real(written) ? text : fmt::format("{} ({})", text, written);
  }

  Value compare(const Comparison& comparison, const Value& left, const Value& right) {
    const auto* a = std::get_if<double>(&left);
    const auto* b = std::get_if<double>(&right);
    const std::vector<Pair> pairs = a != nullptr && b != nullptr
                                        ? std::vector<Pair>{{CurvePoint{}, *a, *b}}
                                        : paired(left, right);
    Ordering ordering{
        .where = {}, .numbers = {}, .places = pairs.size(), .left_out = unpaired_.size()};
    unpaired_.clear();
    for (const auto& [point, x, y] : pairs) {
      if (std::isnan(x) || std::isnan(y)) ordering.known = ordering.holds = false;
    }
    if (!ordering.known) return ordering;
    for (const Pair& pair : pairs) {
      ordering.margin = std::min(ordering.margin, comparison.margin(pair.left, pair.right));
    }
    const auto broken = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
      return !comparison.holds(pair.left, pair.right);
    });
    ordering.holds = broken == pairs.end();
    if (!ordering.holds) {
      const std::string& at = broken->point.at;
      ordering.where =
          fmt::format("{} is not {} {}{}", side(broken->left, comparison.left), comparison.op,
                      side(broken->right, comparison.right), at.empty() ? "" : " at " + at);
    }
    if (a != nullptr && b != nullptr) {
      ordering.numbers =
          fmt::format("{} {}{} {}", format_plain(*a, 4), ordering.holds ? "" : "not ",
                      comparison.op, format_plain(*b, 4));
    }
    return ordering;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  bool take_word(std::string_view word) {
    const std::size_t before = at_;
    if (take_name() == word) return true;
    at_ = before;
    return false;
  }

  void expect(const char* token) {
    if (!take(token)) complain(fmt::format("expected '{}'", token));
  }

  std::string take_name() {
    skip_space();
    std::size_t end = at_;
    const auto inside = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    while (end < text_.size() && inside(static_cast<unsigned char>(text_[end]))) ++end;
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  // Digits, and a fraction that `8..64` is not mistaken for.
  std::optional<double> take_number() {
    skip_space();
    std::size_t end = at_;
    const auto digit = [&](std::size_t i) {
      return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
    };
    while (digit(end)) ++end;
    if (end == at_) return std::nullopt;
    if (end < text_.size() && text_[end] == '.' && digit(end + 1)) {
      for (++end; digit(end); ++end) {
      }
    }
    const auto value = parse_real(text_.substr(at_, end - at_));
    at_ = end;
    return value;
  }

  double needed_number() {
    const bool negative = take("-");
    const auto value = take_number();
    if (!value) complain("expected a number");
    return negative ? -*value : *value;
  }

  [[noreturn]] void complain(const std::string& what) const {
    throw ConfigurationError(fmt::format("'{}', column {}: {}", printable(text_), at_ + 1, what));
  }

  std::string_view text_;
  const CurveLookup& lookup_;
  static constexpr int kDeepest = 100;
  int depth_ = 0;  // of factors
  std::size_t at_ = 0;
  std::set<std::string> unpaired_;  // places, since the last comparison
};

}  // namespace

Value evaluate(std::string_view text, const CurveLookup& lookup) {
  return Evaluator(text, lookup).whole();
}

}  // namespace verbena::experiments
