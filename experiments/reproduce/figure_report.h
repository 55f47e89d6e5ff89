// Measured figures as text: for people, spreadsheets, programs and documents.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/commands/reproduce.h"
#include "experiments/points/measure_points.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Formats a figure as a table: a line per place, a column per series, and a line per claim. A
/// figure of measured sets has a line per point, and its errors.
std::string figure_table(const MeasuredFigure& measured);

/// Formats CSV with the columns figure, series, x, quantity, value, unit, published, low_95,
/// high_95, at_rest, ended_by, command; a line per point and quantity.
std::string figure_csv(const MeasuredFigure& measured);

/// Makes the document of a whole command, see docs/figures.md. Of `points` it uses the points that
/// shards left out.
std::string figures_document(const ReproduceCommand& command,
                             const std::vector<MeasuredFigure>& measured,
                             const MeasuredPoints& points);

/// Formats the command, the claims and the measured sets as Markdown tables. Claims of figures that
/// were measured in two ways (command.as) have both results in one line. Of `points` it uses the
/// points that shards left out.
std::string claims_markdown(const ReproduceCommand& command,
                            const std::vector<MeasuredFigure>& measured,
                            const MeasuredPoints& points);

/// Number of claims, tables of words and measured sets with each result.
struct Totals {
  std::size_t holds = 0;
  std::size_t off = 0;
  std::size_t undecided = 0;
  std::size_t unknown = 0;  ///< not measured, or omitted
};

Totals totals_of(const std::vector<MeasuredFigure>& measured);

/// "52 hold, 12 are off, 3 are undecided, 0 were not judged".
std::string totals_text(const Totals& totals);

/// True if no claim or limit, apart from omitted ones, is off.
bool none_is_off(const std::vector<MeasuredFigure>& measured);

/// Number of its series whose systems do not guarantee isolation.
std::size_t ignoring_series(const MeasuredFigure& measured);

}  // namespace verbena::experiments
