// A series by its name.
#include "experiments/reproduce/figure/series_places.h"

#include <fmt/format.h>

#include <vector>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {

Curve series_places(const Figure& figure, const std::string& series) {
  std::vector<std::string> names;
  for (const FigureSeries& candidate : figure.series) {
    if (candidate.name == series) {
      Curve curve;
      for (const FigurePoint& point : candidate.points) curve.push_back({point.at, point.x, 0});
      return curve;
    }
    names.push_back(candidate.name);
  }
  throw ConfigurationError(
      fmt::format("unknown series '{}'{}", printable(series), did_you_mean(series, names)));
}

}  // namespace verbena::experiments
