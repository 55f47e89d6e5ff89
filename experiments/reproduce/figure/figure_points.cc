// The points of an axis, and what all points have in common.
#include "experiments/reproduce/figure/figure_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/fabric_command.h"
#include "experiments/config/keys/units.h"
#include "experiments/points/quantity.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

// A place on the x axis and what it sets.
struct Place {
  std::string at;
  double x = 0;
  std::vector<Assignment> settings;
  std::string quantity = {};
  bool kept = true;                           // in a quick figure
  std::vector<Assignment> own_settings = {};  // of the series, which win
};

CommandLine command_of(const PointCommand& command) {
  CommandLine line;
  if (command.text == "run") return line;
  std::vector<std::string> known{"run"};
  for (const std::string& operation : operation_names()) {
    known.push_back("bench " + operation);
    if (command.text != known.back()) continue;
    line.command = Command::kBench;
    line.operation = operation;
    return line;
  }
  throw ConfigurationError(fmt::format("{}: unknown '{}'{}", command.place, printable(command.text),
                                       did_you_mean(command.text, known)));
}

// A quantity of its own has the unit that the y axis has.
std::string own_quantity(const TableReader& reader, const Figure& figure) {
  if (!reader.has("quantity")) return "";
  std::string quantity = reader.choice("quantity", quantity_names(), "");
  if (quantity_unit(quantity) != figure.y_unit) {
    reader.refuse("quantity", fmt::format("{} has the unit {}, but the y axis has {}", quantity,
                                          quantity_unit(quantity), figure.y_unit));
  }
  return quantity;
}

std::vector<Place> listed_places(const TableReader& axis, const Figure& figure) {
  std::vector<Place> places;
  for (const toml::table* table : axis.tables("points")) {
    const TableReader reader(axis.file(), *table, "[[x.points]]", {"at", "settings", "quantity"});
    places.push_back({reader.text("at"), static_cast<double>(places.size()), {}});
    places.back().settings = reader.settings("settings");
    places.back().quantity = own_quantity(reader, figure);
  }
  if (places.empty()) axis.refuse("points", "is missing in [x]; a scale of categories needs it");
  return places;
}

// Reads `also` of an axis or series: settings, of each a list with a value for each place.
void read_also(const TableReader& owner, const std::string& name, std::vector<Place>& places,
               std::vector<Assignment> Place::*settings) {
  const toml::table* table = owner.table("also");
  if (table == nullptr) return;
  std::vector<std::string> names;
  for (const auto& [key, list] : *table) names.emplace_back(key.str());
  const TableReader others(owner.file(), *table, name, names);
  for (const std::string& key : names) {
    if (owner.has("setting") && key == owner.text("setting")) {
      others.refuse(key, "is the setting of the axis itself; it cannot be set again");
    }
    const std::vector<std::string> values = others.values(key);
    if (values.size() != places.size()) {
      others.refuse(key, fmt::format("expected {}, as many as the {} has, got {}",
                                     counted(places.size(), "value"),
                                     name == "[x.also]" ? "axis" : "series", values.size()));
    }
    const std::string where = fmt::format("{}: {}", others.place(key), key);
    for (std::size_t i = 0; i < places.size(); ++i) {
      (places[i].*settings).push_back({key, values[i], where});
    }
  }
}

std::vector<Place> numbered_places(const TableReader& axis) {
  std::vector<Place> places;
  const std::string setting = axis.text("setting");
  const std::string where = fmt::format("{}: {}", axis.place("values"), setting);
  for (const std::string& value : axis.values("values")) {
    const auto x = parse_real(value);
    if (!x) axis.refuse("values", fmt::format("'{}' is no number", printable(value)));
    places.push_back({value, *x, {{setting, value, where}}});
  }
  if (places.empty()) axis.refuse("values", "is missing in [x]");
  read_also(axis, "[x.also]", places, &Place::settings);
  return places;
}

const Place& find_place(const std::vector<Place>& places, const std::string& at,
                        const TableReader& reader, const char* key) {
  const auto found = std::find_if(places.begin(), places.end(),
                                  [&](const Place& place) { return place.at == at; });
  if (found == places.end()) {
    reader.refuse(key, fmt::format("'{}' is not on the axis", printable(at)));
  }
  return *found;
}

std::vector<Place> read_x_axis(const TableReader& root, Figure& figure) {
  const toml::table* table = root.table("x");
  if (table == nullptr) root.refuse("x", "is missing; a figure needs [x] or [data]");
  const TableReader axis(
      root.file(), *table, "[x]",
      {"label", "unit", "scale", "setting", "values", "also", "points", "quick"});
  figure.x_label = axis.text("label");
  figure.x_unit = axis.text_or("unit", "");
  const std::string scale = axis.choice("scale", {"linear", "log2", "categories"}, "linear");
  const bool categories = scale == "categories";
  figure.x_scale = categories        ? AxisScale::kCategories
                   : scale == "log2" ? AxisScale::kLog2
                                     : AxisScale::kLinear;
  std::vector<Place> places = categories ? listed_places(axis, figure) : numbered_places(axis);
  for (const char* key : {"setting", "values", "also", "points"}) {
    if (categories == (std::string_view(key) == "points") || !axis.has(key)) continue;
    axis.refuse(key, fmt::format("is not allowed with scale = '{}'", scale));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (places[i].at != places[j].at) continue;
      axis.refuse(categories ? "points" : "values",
                  fmt::format("'{}' appears twice", printable(places[i].at)));
    }
  }
  const std::vector<std::string> few = axis.values("quick");
  for (const std::string& at : few) find_place(places, at, axis, "quick");
  figure.quick = figure.quick && !few.empty();
  for (Place& place : places) {
    place.kept = !figure.quick || std::find(few.begin(), few.end(), place.at) != few.end();
  }
  return places;
}

// The places that the series has: all, or the listed ones, with what it alone sets there. Adds to
// `left_out` those of them that a quick figure does not have.
std::vector<Place> places_of(const TableReader& series, const std::vector<Place>& all,
                             std::size_t& left_out) {
  const std::vector<std::string> wanted = series.values("x");
  std::vector<Place> places = wanted.empty() ? all : std::vector<Place>();
  for (const std::string& at : wanted) places.push_back(find_place(all, at, series, "x"));
  read_also(series, "[series.also]", places, &Place::own_settings);
  left_out += std::erase_if(places, [](const Place& place) { return !place.kept; });
  return places;
}

std::vector<std::pair<double, double>> published_points(const TableReader& series,
                                                        const std::vector<Place>& places) {
  std::vector<std::pair<double, double>> published;
  const toml::array* list = series.list("published");
  if (list == nullptr) return published;
  for (const toml::node& element : *list) {
    const toml::array* pair = element.as_array();
    const auto y = pair != nullptr && pair->size() == 2 ? (*pair)[1].value<double>() : std::nullopt;
    if (!y) series.refuse("published", "expected a list of pairs [x, y]");
    if (const auto x = (*pair)[0].value<double>()) {
      published.emplace_back(*x, *y);
      continue;
    }
    const std::string at = (*pair)[0].value_or(std::string());
    published.emplace_back(find_place(places, at, series, "published").x, *y);
  }
  return published;
}

// Refuses settings on the command line that tell points and series apart: they would be the same.
void refuse_own_settings(const std::vector<Assignment>& sets,
                         const std::vector<Assignment>& settings) {
  for (const Assignment& set : sets) {
    const auto own = std::find_if(settings.begin(), settings.end(),
                                  [&](const Assignment& s) { return s.key == set.key; });
    if (own == settings.end()) continue;
    throw ConfigurationError(
        fmt::format("--set {}: a series or the x axis of the figure already sets it ({})",
                    printable(set.key), own->place));
  }
}

bool is_series(const MeasuringCommand& command) {
  return command.run() != nullptr ? !command.run()->measurements.empty()
                                  : !command.bench()->measurements.empty();
}

// Beyond the document of a point, which is kept by whoever measures it.
bool has_outputs(const OutputOptions& output) {
  return !output.json.empty() || !output.trace.empty() || !output.history.empty() ||
         !output.reached.empty() || output.progress;
}

MeasuringCommand resolve_point(const CommandLine& line) {
  MeasuringCommand command(resolve(line));
  const FabricCommand& common = command.common();
  if (!common.fabric.simulated) {
    throw ConflictError({"fabric"}, "points of figures are simulated: fabric verbs is not allowed");
  }
  if (is_series(command) || has_outputs(common.output)) {
    std::vector<std::string> keys = {"json",     "trace", "history", "reached",
                                     "progress", "out",   "repeat"};
    for (const auto& [key, list] : common.record.lists) keys.push_back(key);
    throw ConflictError(std::move(keys),
                        "a point is a single measurement: json, trace, history, reached, progress, "
                        "out, repeat, peers and lists are not allowed");
  }
  return command;
}

// A run of a figure that is steady is told neither when to begin nor when to end.
void check_steady(const PointCommand& command, const CommandLine& line,
                  const std::vector<Assignment>& settings) {
  if (line.command != Command::kRun) {
    throw ConfigurationError(
        fmt::format("{}: steady = true needs run; {} cannot determine its own warm-up",
                    command.place, printable(command.text)));
  }
  for (const Assignment& setting : settings) {
    if (setting.key != "warmup" && setting.key != "duration") continue;
    throw ConfigurationError(
        fmt::format("{}: not allowed with steady = true, where runs determine it; limit them by "
                    "precision, max-duration and max-commits",
                    setting.place));
  }
}

// The settings of the command line that are among these keys, whose values do not go together.
std::string concerned(const std::vector<Assignment>& sets, const std::vector<std::string>& keys) {
  std::string text;
  for (const Assignment& set : sets) {
    if (std::find(keys.begin(), keys.end(), set.key) == keys.end()) continue;
    text += fmt::format("{}--set {}", text.empty() ? "" : " ", printable(set.text()));
  }
  return text;
}

}  // namespace

ResolvedPoint point_command(const PointDefaults& defaults, const PointCommand& command,
                            const std::vector<std::vector<Assignment>>& layers) {
  CommandLine line = command_of(command);
  if (defaults.steady) check_steady(command, line, defaults.settings);
  line.config = defaults.settings;
  for (const auto& layer : layers) {
    refuse_own_settings(defaults.sets, layer);
    if (defaults.steady) check_steady(command, line, layer);
    line.config.insert(line.config.end(), layer.begin(), layer.end());
  }
  line.sets = defaults.sets;
  try {
    MeasuringCommand resolved = resolve_point(line);
    return {.line = std::move(line), .command = std::move(resolved)};
  } catch (const PlacedError&) {
    throw;
  } catch (const ConflictError& error) {
    const std::string sets = concerned(line.sets, error.keys());
    throw ConfigurationError(
        fmt::format("{}: {}", sets.empty() ? command.place : sets, error.what()));
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(fmt::format("{}: {}", command.place, error.what()));
  }
}

PointCommand read_command(const TableReader& table) {
  std::string text = table.text("command");
  return {std::move(text), table.place("command") + ": command"};
}

PointCommand series_command(const TableReader& series, const PointDefaults& defaults) {
  if (!defaults.command || series.has("command")) return read_command(series);
  return *defaults.command;
}

std::string series_name(const TableReader& series) {
  std::string name = series.text("name");
  const auto inside = [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  };
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), inside) &&
                    std::islower(static_cast<unsigned char>(name[0])) != 0;
  const bool taken = name == "and" || name == "max" || name == "min" || name == "mean";
  if (good && !taken) return name;
  series.refuse("name", fmt::format("'{}' cannot be used in claims: expected lower-case letters, "
                                    "digits and _; 'and', 'max', 'min' and 'mean' are reserved",
                                    printable(name)));
}

void add_axis_series(const TableReader& root, const PointDefaults& defaults, Figure& figure,
                     const std::string& as) {
  const std::vector<Place> all = read_x_axis(root, figure);
  std::size_t left_out = 0;
  for (const toml::table* table : root.tables("series")) {
    const TableReader reader(root.file(), *table, "[[series]]",
                             {"name", "label", "command", "settings", "own_settings", "also",
                              "quantity", "x", "published"});
    FigureSeries series;
    series.name = name_as(series_name(reader), as);
    series.label = reader.text("label");
    if (!as.empty()) series.label += " (" + as + ")";
    for (const FigureSeries& other : figure.series) {
      if (other.name == series.name) reader.refuse("name", "'" + series.name + "' appears twice");
    }
    const PointCommand command = series_command(reader, defaults);
    const std::vector<Assignment> settings = reader.settings("settings");
    const std::vector<Assignment> own_settings = reader.settings("own_settings");
    const std::string quantity = own_quantity(reader, figure);
    for (const Place& at : places_of(reader, all, left_out)) {
      ResolvedPoint point =
          point_command(defaults, command, {settings, at.settings, own_settings, at.own_settings});
      series.points.push_back({.at = at.at,
                               .x = at.x,
                               .command = std::move(point.command),
                               .quantity = at.quantity.empty() ? quantity : at.quantity,
                               .measured = std::nullopt,
                               .line = std::move(point.line)});
    }
    if (as.empty()) series.published = published_points(reader, all);
    figure.series.push_back(std::move(series));
  }
  if (figure.series.empty()) root.refuse("series", "is missing");
  figure.quick = left_out != 0;
}

}  // namespace verbena::experiments
