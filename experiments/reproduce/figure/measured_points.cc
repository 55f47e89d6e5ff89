// One point per row of a measured table, at the row's own settings.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "experiments/config/keys/units.h"
#include "experiments/reproduce/figure/data_table.h"
#include "experiments/reproduce/figure/figure_library.h"
#include "experiments/reproduce/figure/figure_points.h"
#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

using SettingColumns = std::vector<std::pair<std::string, std::string>>;  // setting, column

// How the rows of one value of the series column are measured.
struct SeriesRule {
  std::string value;  // of the series column
  PointCommand command;
  SettingColumns columns;
  std::vector<Assignment> settings;
};

class MeasuredReader {
 public:
  MeasuredReader(const TableReader& root, const PointDefaults& defaults, Figure& figure)
      : root_(root),
        defaults_(defaults),
        figure_(figure),
        data_(root.file(), *root.table("data"), "[data]",
              {"file", "x", "y", "series", "label", "limit", "settings"}) {}

  void read() {
    file_ = data_.text("file");
    table_ = parse_data_table(file_, load(file_));
    read_axis();
    const std::size_t x = column("x");
    const std::size_t y = column("y");
    series_column_ = column("series");
    label_ = data_.text_or("label", "{}");
    figure_.error_limit = data_.number("limit");
    if (!figure_.error_limit) data_.refuse("limit", "is missing in [data]");
    columns_ = data_.text_table("settings");
    check_columns(data_, columns_);
    read_rules();
    for (std::size_t row = 0; row < table_.rows.size(); ++row) add_row(row, x, y);
  }

 private:
  std::string load(const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(root_.file()).parent_path() / name;
    if (const std::string* text = built_in_figure_text(path.string())) return *text;
    return read_input_file(path.string(), data_.place("file") + ": " + printable(path.string()));
  }

  void read_axis() {
    const toml::table* table = root_.table("x");
    if (table == nullptr) root_.refuse("x", "is missing");
    const TableReader axis(root_.file(), *table, "[x]", {"label", "unit", "scale"});
    figure_.x_label = axis.text("label");
    figure_.x_unit = axis.text_or("unit", "");
    const bool log = axis.choice("scale", {"linear", "log2"}, "linear") == "log2";
    figure_.x_scale = log ? AxisScale::kLog2 : AxisScale::kLinear;
  }

  std::size_t column(const char* key) { return column_index(data_, key, data_.text(key)); }

  std::size_t column_index(const TableReader& reader, const std::string& key,
                           const std::string& name) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), name);
    if (found == table_.columns.end()) {
      reader.refuse(key, fmt::format("{} has no column '{}'{}", printable(file_), printable(name),
                                     did_you_mean(name, table_.columns)));
    }
    return static_cast<std::size_t>(found - table_.columns.begin());
  }

  void check_columns(const TableReader& reader, const SettingColumns& columns) const {
    for (const auto& [setting, name] : columns) column_index(reader, "settings", name);
  }

  // [[series]] tables, each for one value of the series column.
  void read_rules() {
    for (const toml::table* table : root_.tables("series")) {
      const TableReader reader(root_.file(), *table, "[[series]]",
                               {"value", "name", "label", "command", "settings", "columns"});
      SeriesRule rule;
      rule.value = reader.text("value");
      FigureSeries series;
      series.name = series_name(reader);
      series.label = reader.text("label");
      rule.command = series_command(reader, defaults_);
      rule.settings = reader.settings("settings");
      rule.columns = reader.text_table("columns");
      check_columns(reader, rule.columns);
      rules_.push_back(std::move(rule));
      figure_.series.push_back(std::move(series));
    }
    named_series_ = rules_.size();
  }

  // The series of a row; without [[series]] tables every value makes one of its own.
  std::size_t series_of(std::size_t row) {
    const std::string& value = table_.rows[row][series_column_];
    const auto found = std::find_if(rules_.begin(), rules_.end(),
                                    [&](const SeriesRule& rule) { return rule.value == value; });
    if (found != rules_.end()) return static_cast<std::size_t>(found - rules_.begin());
    if (named_series_ != 0) {
      root_.refuse("series", fmt::format("none matches '{}' in line {} of {}", printable(value),
                                         table_.lines[row], printable(file_)));
    }
    if (!defaults_.command) root_.refuse("command", "is missing");
    rules_.push_back({value, *defaults_.command, {}, {}});
    FigureSeries series;
    series.name = "s_" + value;
    std::replace_if(
        series.name.begin(), series.name.end(),
        [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    series.label = label_;
    if (const std::size_t mark = label_.find("{}"); mark != std::string::npos) {
      series.label.replace(mark, 2, value);
    }
    figure_.series.push_back(std::move(series));
    return rules_.size() - 1;
  }

  double number(std::size_t row, std::size_t column) const {
    const auto value = parse_real(table_.rows[row][column]);
    if (value) return *value;
    throw ConfigurationError(fmt::format("{}:{}: '{}' is no number", printable(file_),
                                         table_.lines[row], printable(table_.rows[row][column])));
  }

  void add_row(std::size_t row, std::size_t x, std::size_t y) {
    const std::size_t index = series_of(row);
    const SeriesRule& rule = rules_[index];
    std::vector<Assignment> settings;
    SettingColumns all = columns_;
    all.insert(all.end(), rule.columns.begin(), rule.columns.end());
    for (const auto& [setting, name] : all) {
      const std::size_t cell = column_index(data_, "settings", name);
      settings.push_back({setting, table_.rows[row][cell],
                          fmt::format("{}:{}: {}", printable(file_), table_.lines[row], setting)});
    }
    FigureSeries& series = figure_.series[index];
    const double measured = number(row, y);
    if (measured <= 0) {
      throw ConfigurationError(
          fmt::format("{}:{}: {} is not above 0, so there is no relative error", printable(file_),
                      table_.lines[row], measured));
    }
    series.published.emplace_back(number(row, x), measured);
    ResolvedPoint point = point_command(defaults_, rule.command, {rule.settings, settings});
    series.points.push_back({.at = table_.rows[row][x],
                             .x = number(row, x),
                             .command = std::move(point.command),
                             .quantity = {},
                             .measured = measured,
                             .line = std::move(point.line)});
  }

  const TableReader& root_;
  const PointDefaults& defaults_;
  Figure& figure_;
  const TableReader data_;
  std::string file_;
  std::string label_;
  DataTable table_;
  std::size_t series_column_ = 0;
  SettingColumns columns_;
  std::vector<SeriesRule> rules_;
  std::size_t named_series_ = 0;
};

}  // namespace

void add_measured_series(const TableReader& root, const PointDefaults& defaults, Figure& figure) {
  if (root.table("data") == nullptr) root.refuse("data", "is missing");
  MeasuredReader(root, defaults, figure).read();
}

}  // namespace verbena::experiments
