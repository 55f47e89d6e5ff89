// Figure files: what they say, and how broken ones are refused.
#include "experiments/reproduce/figure/figure_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/config/resolve.h"
#include "experiments/reproduce/figure/figure_library.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

// Line by line, so that a row can replace one.
const std::vector<std::string> kLines = {
    /* 1 */ "title = 'reads'",
    /* 2 */ "source = 'a test'",
    /* 3 */ "command = 'bench read'",
    /* 4 */ "[settings]",
    /* 5 */ "nodes = 2",
    /* 6 */ "[x]",
    /* 7 */ "label = 'payload'",
    /* 8 */ "setting = 'payload'",
    /* 9 */ "values = [8, 64]",
    /* 10 */ "[y]",
    /* 11 */ "label = 'rate'",
    /* 12 */ "quantity = 'throughput_per_node'",
    /* 13 */ "[[series]]",
    /* 14 */ "name = 'one'",
    /* 15 */ "label = 'one request'",
    /* 16 */ "settings = { window = 1 }",
    /* 17 */ "[[series]]",
    /* 18 */ "name = 'many'",
    /* 19 */ "label = 'sixteen requests'",
    /* 20 */ "settings = { window = 16, 'nic.qp_cache_entries' = 64 }",
    /* 21 */ "published = [[8, 50.5]]",
    /* 22 */ "[[claims]]",
    /* 23 */ "id = 'T1'",
    /* 24 */ "text = 'more is more'",
    /* 25 */ "relation = 'about'",
    /* 26 */ "value = 'max(many / one)'",
    /* 27 */ "published = 3",
};

std::string file_with(std::size_t line, const std::string& text) {
  const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "figure.toml";
  std::ofstream stream(path);
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    stream << (i + 1 == line ? text : kLines[i]) << '\n';
  }
  return path.string();
}

TEST(FigureFileTest, SaysWhatToMeasure) {
  const Figure figure = load_figure(file_with(0, ""), {});
  EXPECT_EQ(figure.name, "figure");
  EXPECT_EQ(figure.y_unit, "M/s");
  ASSERT_EQ(figure.series.size(), 2U);
  ASSERT_EQ(figure.series[1].points.size(), 2U);
  const FigurePoint& point = figure.series[1].points[1];
  EXPECT_EQ(point.at, "64");
  ASSERT_NE(point.command.bench(), nullptr);
  const BenchCommand& bench = *point.command.bench();
  EXPECT_EQ(bench.cluster.nodes, 2U);
  EXPECT_EQ(bench.bench.payload_bytes, 64U);
  EXPECT_EQ(bench.bench.window, 16U);
  EXPECT_EQ(bench.fabric.constants.value("nic.qp_cache_entries"), 64);
  EXPECT_EQ(figure.series[1].published[0].second, 50.5);
  ASSERT_EQ(figure.claims.size(), 1U);
  EXPECT_EQ(figure.claims[0].published, std::vector<double>{3});
}

TEST(FigureFileTest, OwnSettingsOfASeriesWinOverThoseOfPlaces) {
  const Figure figure = load_figure(
      file_with(16, "settings = { payload = 1, window = 1 }\nown_settings = { payload = 16 }"), {});
  EXPECT_EQ(figure.series[0].points[1].command.bench()->bench.payload_bytes, 16U);
  EXPECT_EQ(figure.series[1].points[1].command.bench()->bench.payload_bytes, 64U);
}

TEST(FigureFileTest, PlacesMayHaveOtherSettingsThatFollowFromTheirs) {
  const Figure figure = load_figure(
      file_with(9, "values = [8, 64]\nalso = { warmup = ['20us', '70us'], window = [1, 3] }"), {});
  for (const FigureSeries& series : figure.series) {
    ASSERT_EQ(series.points.size(), 2U);
    EXPECT_EQ(series.points[0].command.bench()->cluster.warmup, 20 * kMicrosecond);
    EXPECT_EQ(series.points[0].command.bench()->bench.window, 1U);
    EXPECT_EQ(series.points[1].command.bench()->bench.payload_bytes, 64U);
    EXPECT_EQ(series.points[1].command.bench()->cluster.warmup, 70 * kMicrosecond);
    EXPECT_EQ(series.points[1].command.bench()->bench.window, 3U);
  }
}

TEST(FigureFileTest, SeriesMayHaveOtherSettingsAtEachPlaceThatWin) {
  const Figure figure =
      load_figure(file_with(16,
                            "settings = { window = 1 }\nown_settings = { payload = 16 }\n"
                            "also = { window = [3, 5] }"),
                  {});
  EXPECT_EQ(figure.series[0].points[0].command.bench()->bench.window, 3U);
  EXPECT_EQ(figure.series[0].points[1].command.bench()->bench.window, 5U);
  EXPECT_EQ(figure.series[1].points[1].command.bench()->bench.window, 16U);
}

TEST(FigureFileTest, DrawsOneQuantityAgainstAnother) {
  const Figure figure =
      load_figure(file_with(12,
                            "quantity = 'p50'\n[against]\nlabel = 'rate'\nquantity = "
                            "'throughput_per_node'"),
                  {});
  ASSERT_TRUE(figure.against.has_value());
  EXPECT_EQ(figure.against->quantity, "throughput_per_node");
  EXPECT_EQ(figure.against->unit, "M/s");
  EXPECT_EQ(figure.y_unit, "us");
}

TEST(FigureFileTest, PlacesMayHaveQuantitiesOfTheirOwn) {
  const std::string axis =
      "label = 'phase'\nscale = 'categories'\n[[x.points]]\nat = 'log'\nquantity = 'log_mean'\n"
      "[[x.points]]\nat = 'all'";
  const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "phases.toml";
  std::ofstream stream(path);
  stream << "title = 't'\nsource = 's'\ncommand = 'run'\n[x]\n"
         << axis
         << "\n[y]\nlabel = 'time'\nquantity = 'mean'\n[[series]]\nname = 'a'\nlabel = 'a'\n";
  stream.close();
  const Figure figure = load_figure(path.string(), {});
  EXPECT_EQ(figure.series[0].points[0].quantity, "log_mean");
  EXPECT_EQ(figure.series[0].points[1].quantity, "");
}

TEST(FigureFileTest, SeriesMayHaveQuantitiesOfTheirOwn) {
  const auto series_with = [](const std::string& quantity) {
    const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "kinds.toml";
    std::ofstream(path) << "title = 't'\nsource = 's'\ncommand = 'run'\n"
                           "[x]\nlabel = 'coroutines'\nsetting = 'coroutines'\nvalues = [1, 2]\n"
                           "[y]\nlabel = 'latency'\nquantity = 'mean'\n"
                           "[[series]]\nname = 'a'\nlabel = 'a'\n"
                           "[[series]]\nname = 'b'\nlabel = 'b'\nquantity = '"
                        << quantity << "'\n";
    return load_figure(path.string(), {}).series;
  };
  const std::vector<FigureSeries> series = series_with("new_order_latency");
  EXPECT_EQ(series.at(0).points.at(1).quantity, "");
  EXPECT_EQ(series.at(1).points.at(1).quantity, "new_order_latency");
  EXPECT_THROW(series_with("new_order_throughput"), ConfigurationError) << "in M/s, not in us";
  EXPECT_THROW(series_with("new_orders_latency"), ConfigurationError);
}

TEST(FigureFileTest, QuickFiguresHaveTheListedPlacesAndTheClaimsThatTheyAllow) {
  const std::string file = file_with(9, "values = [8, 64]\nquick = [8]");
  EXPECT_EQ(load_figure(file, {}).series[0].points.size(), 2U);
  EXPECT_FALSE(load_figure(file, {}).quick);
  const Figure quick = load_figure(file, {}, true);
  EXPECT_TRUE(quick.quick);
  ASSERT_EQ(quick.series[0].points.size(), 1U);
  EXPECT_EQ(quick.series[0].points[0].at, "8");
  EXPECT_FALSE(quick.claims[0].left_out);
  EXPECT_FALSE(load_figure(file_with(9, "values = [8, 64]\nquick = [64, 8]"), {}, true).quick)
      << "all were kept";
  EXPECT_FALSE(load_figure("measured/connectx-6_read8_outstanding", {}, true).quick);
  const std::string narrow = file_with(26, "value = 'many[64]'");
  EXPECT_FALSE(load_figure(narrow, {}, true).quick) << "nothing to spare";
  std::string text;
  {
    std::ifstream stream(narrow);
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  text.insert(text.find("[y]"), "quick = [8]\n");
  std::ofstream(narrow) << text;
  EXPECT_FALSE(load_figure(narrow, {}).claims[0].left_out);
  EXPECT_TRUE(load_figure(narrow, {}, true).claims[0].left_out);
}

TEST(FigureFileTest, TablesOfWordsAreComparedWithWhatSystemsAre) {
  const Figure table = load_figure("drtmh/table4", {});
  ASSERT_TRUE(table.comparison.has_value());
  EXPECT_TRUE(differences(*table.comparison).empty());
  EXPECT_TRUE(differences(*load_figure("drtmh/table2", {}).comparison).empty());
  const Figure chains = load_figure("prism/table1", {});
  EXPECT_TRUE(differences(*chains.comparison).empty());
  EXPECT_TRUE(std::ranges::none_of(chains.comparison->rows,
                                   [](const ComparedRow& row) { return row.published.empty(); }));
  const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "words.toml";
  std::ofstream(path) << "title = 't'\nsource = 's'\ntable = 'systems'\n[rows]\n"
                         "farm = ['I', 'II', 'I', 'II', 'I', 'I']\n";
  const auto found = differences(*load_figure(path.string(), {}).comparison);
  EXPECT_EQ(found, std::vector<std::string>{"farm, RW V: II+I, published II"});
}

// A figure of two transaction systems with a preset and a setting that it has too.
std::string file_with_preset() {
  const auto path = std::filesystem::path(std::getenv("TEST_TMPDIR")) / "preset.toml";
  std::ofstream(path) << "title = 't'\nsource = 's'\ncommand = 'run'\npreset = 'as-published'\n"
                         "[settings]\nworkload = 'tpcc-no'\n'rdma.poll_batch' = 32\n"
                         "[x]\nlabel = 'coroutines'\nsetting = 'coroutines'\nvalues = [1, 2]\n"
                         "[y]\nlabel = 'latency'\nquantity = 'mean'\n"
                         "[[series]]\nname = 'a'\nlabel = 'DrTM+H'\n"
                         "[[claims]]\nid = 'T1'\ntext = 'more takes longer'\n"
                         "relation = 'about'\nvalue = 'a[2] / a[1]'\npublished = 2\n";
  return path.string();
}

const RunCommand& run_of(const FigureSeries& series) { return *series.points[0].command.run(); }

TEST(FigureFileTest, PresetsAreSettingsOfAllPointsBeforeTheFiguresOwn) {
  const Figure figure = load_figure(file_with_preset(), {});
  EXPECT_EQ(figure.preset, "as-published");
  ASSERT_EQ(figure.series.size(), 1U);
  const RunCommand& run = run_of(figure.series[0]);
  EXPECT_TRUE(run.run.latency_until_return);
  EXPECT_EQ(run.run.endpoint.rpc.flush, rdma::MessageFlush::kAtOnce);
  EXPECT_EQ(run.run.endpoint.poll_batch, 32U) << "the figure's own";
}

TEST(FigureFileTest, WithAPresetMayBeMeasuredAsSomethingElseToo) {
  const Figure figure = load_figure(file_with_preset(), {}, false, kOurs);
  ASSERT_EQ(figure.series.size(), 2U);
  EXPECT_EQ(figure.series[0].name, "a");
  EXPECT_EQ(figure.series[1].name, "a@ours");
  EXPECT_EQ(figure.series[1].label, "DrTM+H (ours)");
  EXPECT_TRUE(run_of(figure.series[0]).run.latency_until_return);
  EXPECT_FALSE(run_of(figure.series[1]).run.latency_until_return);
  EXPECT_EQ(run_of(figure.series[1]).run.endpoint.poll_batch, 32U) << "the figure's own";
  ASSERT_EQ(figure.claims.size(), 2U);
  EXPECT_EQ(figure.claims[0].name(), "T1");
  EXPECT_EQ(figure.claims[1].name(), "T1 (ours)");
  EXPECT_EQ(load_figure(file_with_preset(), {}, false, "as-published").series.size(), 1U)
      << "it is that already";
  EXPECT_EQ(load_figure(file_with(0, ""), {}, false, kOurs).series.size(), 2U) << "has no preset";
  EXPECT_THROW(load_figure(file_with_preset(), {}, false, "as-publish"), ConfigurationError);
}

TEST(FigureFileTest, SetsWinOverWhatAllPointsShare) {
  const std::vector<Assignment> sets = {{"nodes", "7", "--set nodes"}};
  const Figure figure = load_figure(file_with(0, ""), sets);
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points)
      EXPECT_EQ(point.command.common().cluster.nodes, 7U);
  }
}

TEST(FigureFileTest, SetsAreNotOfWhatTellsPointsOrSeriesApart) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"payload", "8"}, {"window", "7"}, {"nic.qp_cache_entries", "12"}}) {
    try {
      load_figure(file_with(0, ""), {{key, value, "--set"}});
      ADD_FAILURE() << "--set " << key << " was taken";
    } catch (const ConfigurationError& error) {
      EXPECT_EQ(std::string(error.what()).find("--set " + key + ": a series or the x axis"), 0U)
          << error.what();
    }
  }
}

struct Broken {
  std::size_t line;
  std::string text;
  std::string complaint;  // after "figure.toml:"
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for
void PrintTo(const Broken& broken, std::ostream* stream) {
  *stream << "line " << broken.line << ": " << broken.text;
}

class BrokenFigureTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFigureTest, IsRefusedWithItsLine) {
  const Broken& broken = GetParam();
  const std::string file = file_with(broken.line, broken.text);
  try {
    load_figure(file, {});
    ADD_FAILURE() << "accepted: " << broken.text;
  } catch (const ConfigurationError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(file + ":")) << what;
    EXPECT_NE(what.find(broken.complaint), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BrokenFigureTest,
    ::testing::Values(
        Broken{1, "title = = 'reads'", "toml:1:"}, Broken{1, "", "title: is missing in a figure"},
        Broken{1, "title = 3", "toml:1:9: title: expected a string"},
        Broken{1, "title = 'x'\ntilte = 'y'",
               "toml:2:9: tilte: unknown in a figure; did you mean title?"},
        Broken{7, "lable = 'payload'", "toml:7:9: lable: unknown in [x]; did you mean label?"},
        Broken{15, "lable = 'one request'",
               "toml:15:9: lable: unknown in [[series]]; did you mean label?"},
        Broken{24, "txet = 'more is more'",
               "toml:24:8: txet: unknown in [[claims]]; did you mean text?"},
        Broken{3, "command = 'bench raed'",
               "toml:3:11: command: unknown 'bench raed'; did you mean bench read?"},
        Broken{3, "", "command: is missing in [[series]]"},
        Broken{3, "command = 'bench read'\nsteady = true",
               "toml:3:11: command: steady = true needs run; bench read cannot determine"},
        Broken{3, "command = 'bench read'\nsteady = 1",
               "toml:4:10: steady: expected true or false"},
        Broken{3, "command = 'bench read'\ndecide_within = 0",
               "toml:4:17: decide_within: expected a whole number from 1 to 10000"},
        Broken{3, "command = 'bench read'\ndecide_within = 2.5",
               "decide_within: expected a whole number"},
        Broken{5, "nodez = 2", "toml:5:9: nodez: unknown key; did you mean nodes?"},
        Broken{5, "nodes = 0", "toml:5:9: nodes 0: expected a whole number from 1 to 1024"},
        Broken{5, "json = 'x'", "a point is a single measurement: json"},
        Broken{5, "repeat = 2", "a point is a single measurement: json"},
        Broken{5, "nodes = '2,3'", "a point is a single measurement: json"},
        Broken{8, "", "setting: is missing in [x]"},
        Broken{9, "values = []", "toml:9:10: values: the list is empty"},
        Broken{9, "values = [8, 8]", "values: '8' appears twice"},
        Broken{9, "values = ['few']", "values: 'few' is no number"},
        Broken{9, "values = [8, 64]\nscale = 'log'", "scale: unknown 'log'; did you mean log2?"},
        Broken{9, "scale = 'categories'", "points: is missing in [x]"},
        Broken{9, "values = [8, 64]\npoints = []", "points: is not allowed with scale = 'linear'"},
        Broken{9, "values = [8, 64]\nalso = { window = [1] }",
               "window: expected 2 values, as many as the axis has, got 1"},
        Broken{9, "values = [8, 64]\nalso = { windw = [1, 2] }",
               "windw: unknown key; did you mean window?"},
        Broken{9, "values = [8, 64]\nalso = { window = 1 }", "window: expected a list"},
        Broken{9, "values = [8, 64]\nalso = { payload = [1, 2] }",
               "payload: is the setting of the axis itself"},
        Broken{12, "quantity = 'p9'", "toml:12:12: quantity: unknown 'p9'; did you mean p90?"},
        Broken{16, "also = { window = [1] }",
               "window: expected 2 values, as many as the series has, got 1"},
        Broken{16, "also = { windw = [1, 2] }", "windw: unknown key; did you mean window?"},
        Broken{14, "name = 'One-sided'", "toml:14:8: name: 'One-sided' cannot be used in claims"},
        Broken{14, "name = 'max'", "name: 'max' cannot be used in claims"},
        Broken{18, "name = 'one'", "toml:18:8: name: 'one' appears twice"},
        Broken{16, "settings = { windw = 1 }", "toml:16:"},
        Broken{16, "x = [7]", "toml:16:5: x: '7' is not on the axis"},
        Broken{21, "published = [[8]]", "published: expected a list of pairs [x, y]"},
        Broken{25, "relation = 'abut'",
               "toml:25:12: relation: unknown 'abut'; did you mean about?"},
        Broken{26, "value = 'max(many / on)'",
               "toml:26:9: value: unknown series 'on'; did you mean one?"},
        Broken{26, "value = 'many / one'", "is a curve, but relation 'about' takes one number"},
        Broken{26, "value = 'many > one'", "is a comparison, but relation 'about' takes numbers"},
        Broken{26, "value = 'max(many.p9)'", "unknown quantity 'p9'"},
        Broken{26, "", "value: is missing in [[claims]]"},
        Broken{26, "value = '1 / 0'", "toml:26:9: value: '1 / 0' divides by zero"},
        Broken{26, "value = 'max(many / (one - one))'", "divides by zero"},
        Broken{25,
               "relation = 'ordering'\nvalue = '1 < 1 / 0'\n[[claims]]\nid = 'T2'\n"
               "text = 'another'\nrelation = 'about'",
               "toml:26:9: value: '1 < 1 / 0' divides by zero"},
        Broken{27, "published = 3\n[[not_judged]]\nid = 'T2'\ntext = 'x'",
               "why: is missing in [[not_judged]]"},
        Broken{27, "published = [3, 4]", "toml:27:13: published: expected 1 value, got 2"},
        Broken{27, "published = nan", "published: expected finite numbers"},
        Broken{27, "published = 0", "published: 0 is not allowed"}));

// A measured table and a figure that measures it again.
class MeasuredFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& table, const std::string& data) {
    const auto directory = std::filesystem::path(std::getenv("TEST_TMPDIR"));
    std::ofstream(directory / "rates.csv") << table;
    const auto path = directory / "set.toml";
    std::ofstream(path) << "title = 't'\nsource = 's'\ncommand = 'bench read'\n"
                        << "[x]\nlabel = 'threads'\n[y]\nlabel = 'rate'\nquantity = 'throughput'\n"
                        << "[data]\nfile = 'rates.csv'\nx = 'threads'\ny = 'mops'\n"
                        << data;
    return path.string();
  }

  std::string complaint(const std::string& table, const std::string& data) {
    try {
      load_figure(write(table, data), {});
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "accepted";
  }

  const std::string table_ = "# from a test\nthreads,window,mops\n2,8,1.5\n4,8,2.5\n2,16,3.5\n";
  const std::string data_ =
      "series = 'window'\nlabel = '{} in flight'\nlimit = 0.1\n"
      "settings = { threads = 'threads', window = 'window' }\n";
};

TEST_F(MeasuredFileTest, EveryRowIsAPointAtItsSettings) {
  const Figure figure = load_figure(write(table_, data_), {});
  ASSERT_EQ(figure.series.size(), 2U);
  EXPECT_EQ(figure.series[0].label, "8 in flight");
  ASSERT_EQ(figure.series[0].points.size(), 2U);
  const FigurePoint& point = figure.series[0].points[1];
  ASSERT_NE(point.command.bench(), nullptr);
  EXPECT_EQ(point.command.bench()->cluster.endpoint.workers, 4U);
  EXPECT_EQ(point.command.bench()->bench.window, 8U);
  EXPECT_EQ(point.measured, 2.5);
  EXPECT_EQ(figure.error_limit, 0.1);
}

TEST_F(MeasuredFileTest, RefusesWhatItCannotMeasure) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(complaint(table_, "series = 'windows'\nlimit = 0.1\n"),
      "set.toml:13:10: series: rates.csv has no column 'windows'; did you mean window?");
  has(complaint(table_, "series = 'window'\n"), "limit: is missing in [data]");
  has(complaint(table_ + "2,8\n", data_), "rates.csv:6: has 2 cells, but there are 3 columns");
  has(complaint(table_ + "0,8,3\n", data_), "rates.csv:6: threads 0: expected a whole number");
  has(complaint(table_ + "2,8,much\n", data_), "rates.csv:6: 'much' is no number");
  has(complaint(table_ + "2,8,0\n", data_), "rates.csv:6: 0 is not above 0");
  has(complaint("threads,window,mops\n", data_), "rates.csv: has no rows");
  has(complaint(table_, data_ + "[[series]]\nvalue = '8'\nname = 'eight'\nlabel = 'eight'\n"),
      "none matches '16' in line 5 of rates.csv");
}

TEST(FigureLibraryTest, NamesAreInNaturalOrder) {
  const std::vector<std::string> names = figure_names();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(selected_figures({"all"}), names);
}

TEST(FigureLibraryTest, EachFigureIsSelectedOnce) {
  const std::vector<std::string> expected = {"drtmh/5a", "my/own.toml"};
  EXPECT_EQ(selected_figures({"drtmh/5a", "my/own.toml", "drtmh/5a"}), expected);
}

TEST(FigureLibraryTest, GroupsAreSelectedByAll) {
  for (const std::string& name : selected_figures({"drtmh/all"})) {
    EXPECT_TRUE(name.starts_with("drtmh/")) << name;
  }
}

TEST(FigureLibraryTest, UnknownFiguresAreRefused) {
  for (const char* name : {"drtmh/5z", "drtmh", "/all", "drtm/all", ""}) {
    EXPECT_THROW(selected_figures({name}), ConfigurationError) << name;
  }
}

TEST(FigureLibraryTest, AllBuiltInFiguresLoad) {
  for (const std::string& name : figure_names()) EXPECT_NO_THROW(load_figure(name, {})) << name;
}

}  // namespace
}  // namespace verbena::experiments
