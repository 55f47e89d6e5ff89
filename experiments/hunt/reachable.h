// The points of the code that runs of a ground can reach.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/hunt/draw/ground.h"

namespace verbena::experiments {

class ReachablePoints {
 public:
  /// Finds the points that runs of `ground` can reach. `ground` must outlive this object.
  explicit ReachablePoints(const HuntGround& ground);

  /// False only if the systems and the settings rule out that any run that may be drawn reaches
  /// `point`.
  bool contains(std::string_view point) const;

  /// False only if the code of the systems rules out that any run reaches `point`, even with
  /// settings that hunts never draw.
  bool may_contain(std::string_view point) const;

 private:
  bool is_owned(std::string_view point) const;

  const HuntGround& ground_;
  std::vector<std::string> protocols_;  // of the systems
};

}  // namespace verbena::experiments
