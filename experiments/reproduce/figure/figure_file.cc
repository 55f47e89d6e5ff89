// The frame of a figure file: titles, axes and claims.
#include "experiments/reproduce/figure/figure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "experiments/config/keys/units.h"
#include "experiments/points/quantity.h"
#include "experiments/reproduce/figure/expression.h"
#include "experiments/reproduce/figure/figure_library.h"
#include "experiments/reproduce/figure/figure_points.h"
#include "experiments/reproduce/figure/series_places.h"
#include "experiments/reproduce/figure/table_reader.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

constexpr std::array<std::pair<Relation, const char*>, 6> kRelations = {
    {{Relation::kUpTo, "up to"},
     {Relation::kAbout, "about"},
     {Relation::kRange, "range"},
     {Relation::kAtLeast, "at least"},
     {Relation::kTriple, "triple"},
     {Relation::kOrdering, "ordering"}}};

std::vector<std::string> relation_names() {
  std::vector<std::string> names;
  names.reserve(kRelations.size());
  for (const auto& entry : kRelations) names.emplace_back(entry.second);
  return names;
}

// True if something has no value though everything was measured: it divides by what is always zero.
bool is_undefined(const Value& value) {
  if (const auto* ordering = std::get_if<Ordering>(&value)) return !ordering->known;
  if (const auto* number = std::get_if<double>(&value)) return std::isnan(*number);
  const Curve& curve = std::get<Curve>(value);
  return std::any_of(curve.begin(), curve.end(), [](const auto& p) { return std::isnan(p.y); });
}

// Every measured point is another number, so that no difference is zero by chance: enough to find
// out whether an expression can be evaluated.
void check_claim(const Claim& claim, const Figure& figure) {
  std::map<std::string, Curve> curves;
  double points = 0;
  const CurveLookup lookup = [&](const std::string& series, const std::string& quantity) {
    if (!quantity.empty()) check_quantity(quantity);
    const auto [entry, added] = curves.emplace(series + "." + quantity, Curve());
    if (!added) return entry->second;
    entry->second = series_places(figure, name_as(series, claim.as));
    for (CurvePoint& point : entry->second) point.y = 1 + std::sin(++points) / 2;
    return entry->second;
  };
  for (const std::string& text : claim.values) {
    const Value value = evaluate(text, lookup);
    if (is_undefined(value)) {
      throw ConfigurationError(fmt::format("'{}' divides by zero", printable(text)));
    }
    const bool ordering = std::holds_alternative<Ordering>(value);
    if (ordering != (claim.relation == Relation::kOrdering)) {
      throw ConfigurationError(fmt::format(
          "'{}' is {} comparison, but relation '{}' takes {}", printable(text),
          ordering ? "a" : "no", relation_name(claim.relation), ordering ? "numbers" : "one"));
    }
    const bool curve_allowed =
        claim.relation == Relation::kRange || claim.relation == Relation::kAtLeast;
    if (std::holds_alternative<Curve>(value) && !curve_allowed) {
      throw ConfigurationError(
          fmt::format("'{}' is a curve, but relation '{}' takes one number: use max, min or mean",
                      printable(text), relation_name(claim.relation)));
    }
  }
}

void check_published(const TableReader& reader, const Claim& claim) {
  const std::size_t wanted = claim.relation == Relation::kOrdering ? 0
                             : claim.relation == Relation::kRange  ? 2
                             : claim.relation == Relation::kTriple ? claim.values.size()
                                                                   : 1;
  const bool several = claim.relation == Relation::kTriple || claim.relation == Relation::kRange;
  if (!several && claim.values.size() != 1) {
    reader.refuse("value", "expected one expression");
  }
  if (claim.published.size() != wanted) {
    reader.refuse("published", fmt::format("expected {}, got {}", counted(wanted, "value"),
                                           claim.published.size()));
  }
  if (!std::all_of(claim.published.begin(), claim.published.end(),
                   [](double number) { return std::isfinite(number); })) {
    reader.refuse("published", "expected finite numbers");
  }
  const bool zero =
      std::find(claim.published.begin(), claim.published.end(), 0.0) != claim.published.end();
  if (zero && claim.relation != Relation::kAtLeast) {
    reader.refuse("published", "0 is not allowed, since it has no relative error");
  }
}

// True if a quick figure has the points that the claim is about.
bool can_be_judged(const Claim& claim, const Figure& figure, const TableReader& reader) {
  try {
    check_claim(claim, figure);
    return true;
  } catch (const ConfigurationError& error) {
    if (!figure.quick) reader.refuse("value", error.what());
    return false;
  }
}

Claim read_claim(const std::string& file, const toml::table& table, const Figure& figure,
                 const std::string& as) {
  const TableReader reader(file, table, "[[claims]]",
                           {"id", "text", "relation", "value", "published", "unit"});
  Claim claim;
  claim.as = as;
  claim.id = reader.text("id");
  claim.text = reader.text("text");
  const std::string relation = reader.choice("relation", relation_names(), "");
  for (const auto& [known, name] : kRelations) {
    if (relation == name) claim.relation = known;
  }
  claim.values = reader.texts("value");
  claim.published = reader.numbers("published");
  claim.unit = reader.text_or("unit", "");
  if (claim.values.empty()) reader.refuse("value", "is missing in [[claims]]");
  check_published(reader, claim);
  claim.left_out = !can_be_judged(claim, figure, reader);
  return claim;
}

void read_y_axis(const TableReader& root, Figure& figure) {
  const toml::table* table = root.table("y");
  if (table == nullptr) root.refuse("y", "is missing");
  const TableReader reader(root.file(), *table, "[y]", {"label", "quantity"});
  figure.y_label = reader.text("label");
  figure.quantity = reader.choice("quantity", quantity_names(), "");
  figure.y_unit = quantity_unit(figure.quantity);
}

void read_against(const TableReader& root, Figure& figure) {
  const toml::table* table = root.table("against");
  if (table == nullptr) return;
  if (root.has("data")) root.refuse("against", "is not for measured sets");
  const TableReader reader(root.file(), *table, "[against]", {"label", "quantity"});
  QuantityAxis axis;
  axis.label = reader.text("label");
  axis.quantity = reader.choice("quantity", quantity_names(), "");
  axis.unit = quantity_unit(axis.quantity);
  figure.against = axis;
}

// Reads what was published in a table of words.
void read_comparison(const TableReader& root, Figure& figure) {
  for (const char* key : {"command", "preset", "settings", "x", "y", "against", "data", "series",
                          "claims", "steady", "decide_within", "not_judged"}) {
    if (root.has(key)) root.refuse(key, "is not for tables of words");
  }
  Comparison ours = our_table(root.choice("table", comparison_names(), ""));
  const toml::table* rows = root.table("rows");
  if (rows == nullptr) root.refuse("rows", "is missing");
  std::vector<std::string> names;
  names.reserve(ours.rows.size());
  for (const ComparedRow& row : ours.rows) names.push_back(row.name);
  const TableReader reader(root.file(), *rows, "[rows]", names);
  for (ComparedRow& row : ours.rows) {
    if (!reader.has(row.name)) continue;
    row.published = reader.texts(row.name);
    if (row.published.size() == ours.columns.size()) continue;
    reader.refuse(row.name,
                  fmt::format("expected {}, got {}", counted(ours.columns.size(), "value"),
                              row.published.size()));
  }
  figure.comparison = std::move(ours);
}

// The settings of a preset, or of none.
std::vector<Assignment> settings_as(const std::string& as) {
  return as == kOurs ? std::vector<Assignment>() : preset_settings(as);
}

// The series and claims of a figure with [x].
void read_series(const TableReader& root, const std::string& file, PointDefaults defaults,
                 const std::string& as, Figure& figure) {
  const std::vector<Assignment> own = std::move(defaults.settings);
  const auto add = [&](const std::string& preset, const std::string& name) {
    defaults.settings = preset.empty() ? std::vector<Assignment>() : settings_as(preset);
    defaults.settings.insert(defaults.settings.end(), own.begin(), own.end());
    add_axis_series(root, defaults, figure, name);
    for (const toml::table* claim : root.tables("claims")) {
      figure.claims.push_back(read_claim(file, *claim, figure, name));
    }
  };
  if (root.has("preset")) figure.preset = root.choice("preset", preset_names(), "");
  add(figure.preset, "");
  if (!figure.preset.empty() && !as.empty() && as != figure.preset) add(as, as);
}

void read_not_judged(const TableReader& root, Figure& figure) {
  for (const toml::table* table : root.tables("not_judged")) {
    const TableReader reader(root.file(), *table, "[[not_judged]]", {"id", "text", "why"});
    figure.not_judged.push_back(
        {.id = reader.text("id"), .text = reader.text("text"), .why = reader.text("why")});
  }
}

std::uint32_t read_decide_within(const TableReader& root) {
  const std::optional<double> times = root.number("decide_within");
  if (!times) return 0;
  if (*times < 1 || *times > kLongestDecision || *times != std::floor(*times)) {
    root.refuse("decide_within", fmt::format("expected a whole number from 1 to {}: a point may be "
                                             "measured up to so many times as long",
                                             kLongestDecision));
  }
  return static_cast<std::uint32_t>(*times);
}

Figure read_figure(const std::string& name, const std::string& file, const std::string& text,
                   const std::vector<Assignment>& sets, bool quick, const std::string& as) {
  const toml::table table = parse_toml_table(file, text);
  const TableReader root(
      file, table, "a figure",
      {"title", "source", "command", "preset", "settings", "x", "y", "against", "data", "series",
       "claims", "table", "rows", "steady", "decide_within", "not_judged"});
  Figure figure;
  figure.name = name;
  figure.title = root.text("title");
  figure.source = root.text("source");
  if (root.has("table")) {
    read_comparison(root, figure);
    return figure;
  }
  figure.quick = quick && !root.has("data");  // all that was measured is measured again
  read_y_axis(root, figure);
  read_against(root, figure);
  PointDefaults defaults;
  if (root.has("command")) defaults.command = read_command(root);
  defaults.settings = root.settings("settings");
  defaults.sets = sets;
  defaults.steady = figure.steady = root.flag("steady");
  figure.decide_within = read_decide_within(root);
  read_not_judged(root, figure);
  if (root.has("data")) {
    if (root.has("preset")) root.refuse("preset", "is not for measured sets");
    add_measured_series(root, defaults, figure);
    for (const toml::table* claim : root.tables("claims")) {
      figure.claims.push_back(read_claim(file, *claim, figure, ""));
    }
  } else {
    read_series(root, file, defaults, as, figure);
  }
  return figure;
}

}  // namespace

const char* relation_name(Relation relation) {
  return std::find_if(kRelations.begin(), kRelations.end(),
                      [&](const auto& entry) { return entry.first == relation; })
      ->second;
}

std::string name_as(const std::string& series, const std::string& as) {
  return as.empty() ? series : series + "@" + as;
}

Figure load_figure(const std::string& name, const std::vector<Assignment>& sets, bool quick,
                   const std::string& as) {
  if (!name.ends_with(".toml")) {
    const std::string file = name + ".toml";
    const std::string* text = built_in_figure_text(file);
    if (text == nullptr) throw ConfigurationError(fmt::format("unknown figure '{}'", name));
    return read_figure(name, file, *text, sets, quick, as);
  }
  return read_figure(std::filesystem::path(name).stem().string(), name,
                     read_input_file(name, printable(name)), sets, quick, as);
}

}  // namespace verbena::experiments
