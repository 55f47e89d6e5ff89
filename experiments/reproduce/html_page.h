// A reproduction as one page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/config/commands/reproduce.h"
#include "experiments/reproduce/judge/judge.h"

namespace verbena::experiments {

/// How the figures of a page came about.
struct PageFacts {
  double wall_seconds = 0;   ///< of the command
  std::size_t points = 0;    ///< different ones
  std::size_t reused = 0;    ///< measured by an earlier command
  std::size_t failures = 0;  ///< points without a result
  std::string shard = {};    ///< see MeasuredPoints::shard_text
};

/// HTML that needs nothing besides itself: what was run, all claims with their verdicts, then each
/// figure with its plot, of `plots` by the figure's name as SVG, its claims and its numbers.
std::string figures_page(const ReproduceCommand& command,
                         const std::vector<MeasuredFigure>& measured,
                         const std::map<std::string, std::string>& plots, const PageFacts& facts);

}  // namespace verbena::experiments
