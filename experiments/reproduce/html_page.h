// A reproduction as one HTML page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/config/commands/reproduce.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// Facts about how the figures of a page were measured.
struct PageFacts {
  double wall_seconds = 0;   ///< wall time of the command
  std::size_t points = 0;    ///< number of different points
  std::size_t reused = 0;    ///< points measured by an earlier command
  std::size_t failures = 0;  ///< points without a result
  std::string shard = {};    ///< see MeasuredPoints::shard_text
};

/// Makes a self-contained HTML page: the command, all claims with their verdicts, then each figure
/// with its plot, its claims and its numbers. `plots` has SVG texts by the figure's name.
std::string figures_page(const ReproduceCommand& command,
                         const std::vector<MeasuredFigure>& measured,
                         const std::map<std::string, std::string>& plots, const PageFacts& facts);

}  // namespace verbena::experiments
