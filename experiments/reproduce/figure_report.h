// Measured figures as text: for people, for spreadsheets, for programs, for documents.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/command_options.h"
#include "experiments/reproduce/judge.h"

namespace verbena::experiments {

/// A figure as a table with a line per place, a column per series, and a line per claim; a measured
/// set with a line per point, and its errors.
std::string figure_table(const MeasuredFigure& measured);

/// Columns figure, series, x, quantity, value, unit, published, command; a line per point and
/// quantity.
std::string figure_csv(const MeasuredFigure& measured);

/// All of a command, see docs/figures.md.
std::string figures_document(const ReproduceCommand& command,
                             const std::vector<MeasuredFigure>& measured);

/// What was run, then the claims, and the measured sets, as tables in Markdown. Claims of figures
/// that were measured in two ways (command.as) have both results in one line.
std::string claims_markdown(const ReproduceCommand& command,
                            const std::vector<MeasuredFigure>& measured);

/// Whether every claim and limit is met.
bool all_hold(const std::vector<MeasuredFigure>& measured);

}  // namespace verbena::experiments
