// Measured figures as text: for people, for spreadsheets, for programs, for documents.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/commands/reproduce.h"
#include "experiments/points/measure_points.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// A figure as a table with a line per place, a column per series, and a line per claim; a measured
/// set with a line per point, and its errors.
std::string figure_table(const MeasuredFigure& measured);

/// Columns figure, series, x, quantity, value, unit, published, low_95, high_95, at_rest, ended_by,
/// command; a line per point and quantity.
std::string figure_csv(const MeasuredFigure& measured);

/// All of a command, see docs/figures.md; of `points` what shards have left out.
std::string figures_document(const ReproduceCommand& command,
                             const std::vector<MeasuredFigure>& measured,
                             const MeasuredPoints& points);

/// The command, then the claims, and the measured sets, as tables in Markdown. Claims of figures
/// that were measured in two ways (command.as) have both results in one line. Of `points` what
/// shards have left out.
std::string claims_markdown(const ReproduceCommand& command,
                            const std::vector<MeasuredFigure>& measured,
                            const MeasuredPoints& points);

/// How many claims, tables of words and measured sets came to what.
struct Totals {
  std::size_t holds = 0;
  std::size_t off = 0;
  std::size_t undecided = 0;
  std::size_t unknown = 0;  ///< not measured, or left out
};

Totals totals_of(const std::vector<MeasuredFigure>& measured);

/// "52 hold, 12 are off, 3 are undecided, 0 were not judged".
std::string totals_text(const Totals& totals);

/// Tells whether every claim and limit that was not left out is met, or could be.
bool none_is_off(const std::vector<MeasuredFigure>& measured);

/// How many of its series are not isolated.
std::size_t ignoring_series(const MeasuredFigure& measured);

}  // namespace verbena::experiments
