// From measurements to processes, and from their documents to one.
#include "experiments/cli/series_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "experiments/cli/measuring.h"
#include "experiments/cli/output_directory.h"
#include "experiments/config/keys/units.h"
#include "experiments/plot/drawing.h"
#include "experiments/plot/gnuplot.h"
#include "experiments/points/gather.h"
#include "experiments/points/quantity.h"
#include "experiments/report/files/output_file.h"
#include "experiments/report/publish.h"
#include "experiments/sweep/sweep_document.h"
#include "experiments/sweep/sweep_page.h"
#include "experiments/sweep/sweep_plot.h"
#include "experiments/sweep/sweep_table.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

// The files of --out, found writable before anything starts.
class Outputs {
 public:
  explicit Outputs(const std::string& directory)
      : directory_(directory),
        document_(OutputFile::in_directory(path(kDocument))),
        table_(OutputFile::in_directory(path(kTable))),
        page_(OutputFile::in_directory(path(kPage))) {}

  // Refuses a directory where it would replace what is not verbena's. It makes nothing.
  static void check(const std::string& directory) {
    std::vector<std::string> files{kTable, kPage};
    std::error_code error;
    for (fs::directory_iterator file(directory, error), end; !error && file != end;
         file.increment(error)) {
      const std::string stem = file->path().stem().string();
      if (!is_plot_stem(stem)) continue;
      const std::vector<std::string> plot = plot_files(stem);
      files.insert(files.end(), plot.begin(), plot.end());
    }
    check_output_directory(directory, kDocument, files);
  }

  void write(const MeasuredSweep& measured) const {
    document_.commit(sweep_document(measured));
    table_.commit(sweep_csv(measured));
  }

  // Draws plots and writes the page that holds them. Returns the signal that interrupted it, or 0.
  int write_page(const MeasuredSweep& measured, std::size_t jobs, const ProcessPool& pool) const {
    const std::vector<Plot> plots = sweep_plots(measured);
    std::vector<Process> processes;
    const std::vector<std::string> names = plot_stems(measured, plots);
    std::vector<std::string> stems;
    for (std::size_t i = 0; i < plots.size(); ++i) {
      const std::string& stem = names[i];
      const std::string script = gnuplot_script(plots[i], stem);
      if (script.empty()) {
        say("no plot of " + blank_text(plots[i]));
        continue;
      }
      stems.push_back(stem);
      OutputFile::in_directory(path(stem + ".gnuplot")).commit(script);
      processes.push_back(
          {.program = "gnuplot", .arguments = {stem + ".gnuplot"}, .directory = directory_});
    }
    int signal = 0;
    remove_others(stems);
    if (!is_installed("gnuplot")) {
      if (!stems.empty()) {
        say("plots were skipped: there is no gnuplot (Debian package gnuplot-nox)");
      }
      for (const std::string& stem : stems) {
        if (!has_drawing(path(stem))) continue;
        say(fmt::format("{} is not of this command", printable(path(stem + ".svg"))));
      }
      stems.clear();
    } else {
      for (const std::string& stem : stems) remove_drawing_links(path(stem));
      signal =
          pool.run(processes, {.processes = jobs}, [&](std::size_t index, const ProcessEnd& end) {
            if (end.succeeded) return;
            remove_drawing(path(stems[index]));
            say(fmt::format("plot failed: gnuplot {}/{}: {}", directory_,
                            processes[index].arguments[0], end.error));
          });
    }
    page_.commit(sweep_page(measured, drawings(stems)));
    return signal;
  }

 private:
  static constexpr const char* kDocument = "results.json";
  static constexpr const char* kTable = "points.csv";
  static constexpr const char* kPage = "index.html";

  std::string path(const std::string& name) const { return (fs::path(directory_) / name).string(); }

  // Removes plots that an earlier command left here and this one does not make: where its script
  // is. Others may be the user's.
  void remove_others(const std::vector<std::string>& stems) const {
    std::vector<std::string> others;
    std::error_code error;
    for (fs::directory_iterator file(directory_, error), end; !error && file != end;
         file.increment(error)) {
      const std::string stem = file->path().stem().string();
      const bool is_made = std::ranges::find(stems, stem) != stems.end();
      if (file->path().extension() != ".gnuplot" || is_made || !is_plot_stem(stem)) continue;
      if (has_own_script(path(stem))) others.push_back(stem);
    }
    for (const std::string& stem : others) {
      const bool drawing = remove_drawing(path(stem));
      const bool script = fs::remove(path(stem + ".gnuplot"), error);
      if (!drawing && !script) continue;
      say(fmt::format("{} of an earlier command was removed", printable(path(stem))));
    }
  }

  std::vector<std::string> drawings(const std::vector<std::string>& stems) const {
    std::vector<std::string> paths;
    paths.reserve(stems.size());
    for (const std::string& stem : stems) paths.push_back(path(stem));
    std::vector<std::string> texts = read_drawings(paths, say);
    std::erase(texts, "");
    return texts;
  }

  std::string directory_;
  OutputFile document_;
  OutputFile table_;
  OutputFile page_;
};

void check_shown(const Sweep& sweep) {
  const std::string& shown = sweep.options.y;
  try {
    check_quantity(shown, sweep.points);
  } catch (const ConfigurationError& error) {
    throw ConfigurationError(fmt::format("--y {}: {}", refused_text(shown), error.what()));
  }
}

int show(const MeasuredSweep& measured, std::FILE* people, const std::optional<OutputFile>& json) {
  const bool printed = std::fputs(sweep_table(measured).c_str(), people) >= 0;
  if (json) json->commit(sweep_document(measured));
  for (const FailedPoint& failure : measured.points.failures) say("point failed: " + failure.text);
  if (!printed) throw std::runtime_error("standard output: cannot be written");
  return exit_code_of(measured.points);
}

}  // namespace

int execute_series(const Sweep& sweep, const OutputOptions& output) {
  check_shown(sweep);
  if (!sweep.options.out.empty()) Outputs::check(sweep.options.out);
  if (sweep.options.shards.gather.empty()) check_memory(sweep);
  std::optional<OutputFile> json;
  if (!output.json.empty()) json.emplace(output.json);
  std::optional<TemporaryDirectory> temporary;
  if (sweep.options.out.empty()) temporary.emplace();
  const std::string directory = temporary ? temporary->path() : sweep.options.out;
  PointStore store((fs::path(directory) / "points").string());
  std::vector<const MeasuringCommand*> points;
  points.reserve(sweep.points.size());
  for (const MeasuringCommand& point : sweep.points) points.push_back(&point);
  if (const auto gathered = sweep.options.shards.directories(); !gathered.empty()) {
    gather_points(points, gathered, store);
  }
  std::optional<Outputs> outputs;
  if (!temporary) outputs.emplace(directory);

  store.keep();
  const auto began = std::chrono::steady_clock::now();
  MeasuredSweep measured{.sweep = &sweep, .points = {}};
  int signal = 0;
  {
    const ProcessPool pool;
    PointMeasuring how = measuring_of(sweep.options.jobs, sweep.record.simulated);
    how.fresh = sweep.options.fresh;
    how.shard = sweep.options.shards.chosen();
    how.tell_progress = output.progress;
    measured.points = measure_points(points, how, store, pool);
    measured.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    signal = measured.points.signal;
    if (signal == 0 && outputs) {
      outputs->write(measured);
      signal = outputs->write_page(measured, how.limits.processes, pool);
    }
    // Before the pool lets signals through again: another one would be the end.
    if (signal != 0) {
      say(fmt::format("interrupted after {} of {} measurements; {}",
                      measured.points.reused + measured.points.finished, measured.points.different,
                      temporary ? "with --out DIR they would be kept"
                                : "they are kept in " + printable(directory) +
                                      ", and the same command goes on from there"));
    }
  }
  if (signal != 0) {
    temporary.reset();
    std::raise(signal);
  }
  return show(measured, stream_for_people(output), json);
}

}  // namespace verbena::experiments
