// `verbena reproduce FIGURE...`: published figures, measured again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <thread>

#include "experiments/cli/commands.h"
#include "experiments/cli/faulty_run.h"
#include "experiments/cli/measuring.h"
#include "experiments/cli/output_directory.h"
#include "experiments/cli/program.h"
#include "experiments/config/keys/units.h"
#include "experiments/plot/drawing.h"
#include "experiments/plot/gnuplot.h"
#include "experiments/points/gather.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/text/text_table.h"
#include "experiments/reproduce/decide.h"
#include "experiments/reproduce/figure/figure_file.h"
#include "experiments/reproduce/figure/figure_library.h"
#include "experiments/reproduce/figure_plot.h"
#include "experiments/reproduce/figure_report.h"
#include "experiments/reproduce/html_page.h"
#include "experiments/reproduce/measure.h"
#include "experiments/session/memory_need.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

std::size_t points_of(const Figure& figure) {
  std::size_t points = 0;
  for (const FigureSeries& series : figure.series) points += series.points.size();
  return points;
}

void check_preset(const std::string& as) {
  std::vector<std::string> allowed = preset_names();
  allowed.emplace_back(kOurs);
  if (as.empty() || std::ranges::find(allowed, as) != allowed.end()) return;
  throw ConfigurationError(fmt::format("--as {}: no such preset; allowed are {}", refused_text(as),
                                       fmt::join(allowed, ", ")));
}

int list_figures(const ReproduceCommand& command) {
  check_preset(command.as);
  std::vector<std::vector<std::string>> rows{{"figure", "points", "claims", "what"}};
  const std::vector<std::string> names =
      command.names.empty() ? figure_names() : selected_figures(command.names);
  for (const std::string& name : names) {
    const Figure figure = load_figure(name, command.sets, command.quick, command.as);
    std::vector<std::string> claims;
    claims.reserve(figure.claims.size() + 1);
    for (const Claim& claim : figure.claims) claims.push_back(claim.id);
    for (const NotJudged& claim : figure.not_judged) claims.push_back("(" + claim.id + ")");
    if (figure.comparison) claims.emplace_back("as printed");
    if (figure.error_limit) {
      claims.push_back(fmt::format("mean error {:.0f} %", 100 * *figure.error_limit));
    }
    rows.push_back({name, std::to_string(points_of(figure)),
                    fmt::format("{}", fmt::join(claims, " ")),
                    fmt::format("{} ({})", figure.title, figure.source)});
  }
  fmt::print("{}", aligned(rows, 4));
  return kSuccess;
}

// Refuses --set if no figure has points that it could be for: tables of words have none.
void check_used(const ReproduceCommand& command, const std::vector<Figure>& figures) {
  const bool measured = std::any_of(figures.begin(), figures.end(),
                                    [](const Figure& figure) { return points_of(figure) != 0; });
  if (command.sets.empty() || measured) return;
  throw ConfigurationError(fmt::format("--set {}: {} has no points to apply it to",
                                       printable(command.sets.front().text()),
                                       printable(figures.front().name)));
}

void check_as(const ReproduceCommand& command, const std::vector<Figure>& figures) {
  const auto has_two = [](const Figure& figure) { return !figure.preset.empty(); };
  if (command.as.empty() || std::any_of(figures.begin(), figures.end(), has_two)) return;
  throw ConfigurationError(fmt::format("--as {}: {} has no preset to replace",
                                       printable(command.as), printable(figures.front().name)));
}

std::vector<Figure> load_figures(const ReproduceCommand& command) {
  check_preset(command.as);
  std::vector<Figure> figures;
  for (const std::string& name : selected_figures(command.names)) {
    Figure figure = load_figure(name, command.sets, command.quick, command.as);
    for (const Figure& other : figures) {
      if (other.name != figure.name) continue;
      throw ConfigurationError(
          fmt::format("two figures are called '{}', so their results would have the same name",
                      printable(figure.name)));
    }
    figures.push_back(std::move(figure));
  }
  check_used(command, figures);
  check_as(command, figures);
  return figures;
}

// Where the results go, found writable before anything starts.
class Outputs {
 public:
  Outputs(const std::string& directory, const std::vector<Figure>& figures)
      : directory_(directory),
        store_((fs::path(directory) / "points").string()),
        document_(OutputFile::in_directory(path(kDocument))),
        claims_(OutputFile::in_directory(path(kClaims))),
        page_(OutputFile::in_directory(path(kPage))) {
    for (const Figure& figure : figures) {
      std::error_code error;
      fs::create_directories(fs::path(path(figure.name)).parent_path(), error);
      if (error) {
        throw ConfigurationError(fmt::format("--out {}: cannot be written: {}",
                                             refused_text(directory), error.message()));
      }
      tables_.push_back(OutputFile::in_directory(path(figure.name + ".csv")));
      scripts_.push_back(OutputFile::in_directory(path(figure.name + ".gnuplot")));
    }
  }

  // Refuses a directory where it would replace what is not verbena's. It makes nothing.
  static void check(const std::string& directory, const std::vector<Figure>& figures) {
    std::vector<std::string> files{kClaims, kPage};
    for (const Figure& figure : figures) {
      files.push_back(figure.name + ".csv");
      const std::vector<std::string> plot = plot_files(figure.name);
      files.insert(files.end(), plot.begin(), plot.end());
    }
    check_output_directory(directory, kDocument, files);
  }

  PointStore& store() { return store_; }

  void write(const ReproduceCommand& command, const Measuring& measuring) const {
    const std::vector<MeasuredFigure>& figures = measuring.figures;
    document_.commit(figures_document(command, figures, measuring.points));
    claims_.commit(claims_markdown(command, figures, measuring.points));
    for (std::size_t i = 0; i < figures.size(); ++i) tables_[i].commit(figure_csv(figures[i]));
  }

  // After gnuplot, whose plots it holds.
  void write_page(const ReproduceCommand& command, const std::vector<MeasuredFigure>& figures,
                  const PageFacts& facts) const {
    std::vector<std::string> stems;
    // Without gnuplot, what lies there is of another command.
    if (is_installed("gnuplot")) {
      for (const MeasuredFigure& one : figures) stems.push_back(path(one.figure->name));
    }
    const std::vector<std::string> drawings = read_drawings(stems, say);
    std::map<std::string, std::string> plots;
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      if (!drawings[i].empty()) plots.emplace(figures[i].figure->name, drawings[i]);
    }
    page_.commit(figures_page(command, figures, plots, facts));
  }

  // Writes the scripts, and returns the runs of gnuplot; none for figures without a result.
  std::vector<Process> write_scripts(const std::vector<MeasuredFigure>& figures) const {
    std::vector<Process> processes;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const fs::path stem = path(figures[i].figure->name);
      const std::string script = gnuplot_script(plot_of(figures[i]), stem.filename().string());
      if (script.empty()) continue;
      scripts_[i].commit(script);
      processes.push_back({.program = "gnuplot",
                           .arguments = {stem.filename().string() + ".gnuplot"},
                           .directory = stem.parent_path().string()});
    }
    return processes;
  }

 private:
  static constexpr const char* kDocument = "reproduce.json";
  static constexpr const char* kClaims = "claims.md";
  static constexpr const char* kPage = "index.html";

  std::string path(const std::string& name) const { return (fs::path(directory_) / name).string(); }

  std::string directory_;
  PointStore store_;
  OutputFile document_;
  OutputFile claims_;
  OutputFile page_;
  std::vector<OutputFile> tables_;
  std::vector<OutputFile> scripts_;
};

std::size_t jobs_of(const ReproduceCommand& command) {
  if (command.jobs) return *command.jobs;
  // The most that a process took that measured published figures: 5.6 GiB, 80 machines among them.
  constexpr std::uint64_t kProcessBytes = std::uint64_t{6} << 30;
  const std::uint64_t fit = available_memory_bytes() / kProcessBytes;
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<std::uint64_t>(fit, 1, cores);
}

// Returns the signal that interrupted it, or 0.
int draw(const Outputs& outputs, const ReproduceCommand& command, const Measuring& measuring,
         const ProcessPool& pool) {
  const std::vector<Process> plots = outputs.write_scripts(measuring.figures);
  if (!is_installed("gnuplot")) {
    say("plots were skipped: there is no gnuplot (Debian package gnuplot-nox)");
    return 0;
  }
  const auto stem_of = [](const Process& plot) {
    return fs::path(plot.directory) / fs::path(plot.arguments[0]).stem();
  };
  for (const Process& plot : plots) remove_drawing_links(stem_of(plot));
  return pool.run(plots, {.processes = jobs_of(command)},
                  [&](std::size_t index, const ProcessEnd& end) {
                    if (end.succeeded) return;
                    remove_drawing(stem_of(plots[index]));
                    say(fmt::format("plot failed: gnuplot {}/{}: {}", plots[index].directory,
                                    plots[index].arguments[0], end.error));
                  });
}

void print_results(const ReproduceCommand& command, const Measuring& measuring) {
  for (const MeasuredFigure& figure : measuring.figures) {
    fmt::print("{}\n", figure_table(figure));
  }
  fmt::print("claims          {}\n", totals_text(totals_of(measuring.figures)));
  fmt::print("points          {}: {} measured before, {} failed\n", measuring.points.different,
             measuring.points.reused, measuring.points.failures.size());
  if (const std::string shard = measuring.points.shard_text(); !shard.empty()) {
    fmt::print("shard           {}\n", shard);
  }
  fmt::print("results         {0}, all of them in {0}/index.html\n", printable(command.out));
}

PointMeasuring measuring_of(const ReproduceCommand& command) {
  return {.limits = {.processes = jobs_of(command)},
          .program = run_program,
          .fresh = command.fresh,
          .shard = command.shards.chosen(),
          .tell_progress = command.progress,
          .available_bytes = available_memory_bytes()};
}

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

int execute(const ReproduceCommand& command) {
  if (command.list) return list_figures(command);
  check_points_of_deaths(command.sets);
  const std::vector<Figure> figures = load_figures(command);
  Outputs::check(command.out, figures);
  Outputs outputs(command.out, figures);
  if (const auto gathered = command.shards.directories(); !gathered.empty()) {
    gather_points(points_of(figures), gathered, outputs.store());
  }
  outputs.store().keep();
  const auto began = std::chrono::steady_clock::now();
  Measuring measuring;
  int signal = 0;
  {
    const ProcessPool pool;
    measuring = measure(figures, measuring_of(command), outputs.store(), pool);
    if (measuring.points.signal == 0 && !command.quick && command.shards.chosen().is_whole()) {
      decide(command.decide_within, measuring_of(command), outputs.store(), pool, measuring);
    }
    signal = measuring.points.signal;
    if (signal == 0) {
      outputs.write(command, measuring);
      signal = draw(outputs, command, measuring, pool);
      outputs.write_page(command, measuring.figures,
                         {.wall_seconds = seconds_since(began),
                          .points = measuring.points.different,
                          .reused = measuring.points.reused,
                          .failures = measuring.points.failures.size(),
                          .shard = measuring.points.shard_text()});
    }
    // Before the pool lets signals through again: another one would be the end.
    if (signal != 0) {
      say(
          fmt::format("interrupted; {} of {} points are kept in {}, and the same command goes on "
                      "from there",
                      measuring.points.reused + measuring.points.finished,
                      measuring.points.different, printable(command.out)));
    }
  }
  if (signal != 0) std::raise(signal);
  print_results(command, measuring);
  for (const FailedPoint& failure : measuring.points.failures) {
    say("point failed: " + failure.text);
  }
  if (!measuring.points.failures.empty()) return kFailure;
  if (!command.strict) return kSuccess;
  if (const Totals totals = totals_of(measuring.figures); totals.undecided > 0) {
    say(fmt::format("{} undecided; --strict does not count these as failures", totals.undecided));
  }
  return none_is_off(measuring.figures) ? kSuccess : kFailure;
}

}  // namespace verbena::experiments
