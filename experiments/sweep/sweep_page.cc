// The page's text.
#include "experiments/sweep/sweep_page.h"

#include <fmt/format.h>

#include "experiments/plot/html.h"
#include "experiments/report/build_info.h"
#include "experiments/sweep/sweep_plot.h"
#include "experiments/sweep/sweep_table.h"

namespace verbena::experiments {
namespace {

std::string fact(const char* name, const std::string& text) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, text);
}

std::string facts(const MeasuredSweep& measured) {
  const Sweep& sweep = *measured.sweep;
  std::string text = "<table>\n" + fact("commit", escaped(build_commit()));
  text += fact("command", fmt::format("<code>{}</code>", escaped(sweep.record.command_line())));
  text += fact("the first is", escaped(sweep.configuration));
  for (const auto& [key, list] : sweep.record.lists) {
    text += fact(escaped(key).c_str(), escaped(list));
  }
  text += fact("measurements",
               fmt::format("{}: {} measured before, {} failed", measured.points.different,
                           measured.points.reused, measured.points.failures.size()));
  if (const std::string shard = measured.points.shard_text(); !shard.empty()) {
    text += fact("shard", escaped(shard));
  }
  text += fact("this command took", fmt::format("{:.0f} s", measured.wall_seconds));
  return text + "</table>\n";
}

std::string measurements(const MeasuredSweep& measured) {
  std::string rows;
  for (std::size_t i = 0; i < measured.sweep->points.size(); ++i) {
    const auto& result = measured.points.results[i];
    const std::string line = measured.sweep->points[i].record().command_line();
    rows += fmt::format("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escaped(line),
                        result                                   ? escaped(result->trace_digest)
                        : measured.points.missing.contains(line) ? "missing"
                                                                 : "failed");
  }
  return "<details><summary>each measurement</summary>\n<table>\n<tr><th>again</th><th>trace "
         "digest</th></tr>\n" +
         rows + "</table></details>\n";
}

}  // namespace

std::string sweep_page(const MeasuredSweep& measured, const std::vector<std::string>& plots) {
  const std::string title = measured.sweep->title();
  std::string text = page_head("verbena: " + title);
  text += fmt::format("<h1>{}</h1>\n", escaped(title)) + facts(measured);
  for (const std::string& plot : plots) text += image(plot, "plot of " + title);
  for (const Plot& plot : sweep_plots(measured)) {
    if (!is_blank(plot)) continue;
    text += fmt::format("<p class=\"unknown\">no plot of {}</p>\n", escaped(blank_text(plot)));
  }
  text += fmt::format("<h2>Numbers</h2>\n<pre>{}</pre>\n", escaped(sweep_table(measured)));
  for (const FailedPoint& failure : measured.points.failures) {
    text += fmt::format("<p class=\"fails\">failed: {}</p>\n", escaped(failure.text));
  }
  return text + measurements(measured) + page_end();
}

}  // namespace verbena::experiments
