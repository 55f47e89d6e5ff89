// Which points of the code the runs of a ground can come to at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/hunt/draw/ground.h"

namespace verbena::experiments {

class ReachablePoints {
 public:
  /// The points to which runs of `ground` come; `ground` has to outlive it.
  explicit ReachablePoints(const HuntGround& ground);

  /// True unless it follows from the systems and from what is set that no run that may be drawn
  /// comes to `point`.
  bool contains(std::string_view point) const;

  /// True where it also does not follow from what code the systems have, whatever hunts draw: a
  /// run of somebody else's settings may come there.
  bool may_contain(std::string_view point) const;

 private:
  bool is_owned(std::string_view point) const;

  const HuntGround& ground_;
  std::vector<std::string> protocols_;  // of the systems
};

}  // namespace verbena::experiments
