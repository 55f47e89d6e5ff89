// Names of parts.
#include "experiments/paths/part.h"

#include <iterator>

namespace verbena::experiments {

const char* place_name(Place place) {
  switch (place) {
    case Place::kOwnCore:
      return "own core";
    case Place::kOwnNic:
      return "own NIC";
    case Place::kNetwork:
      return "network";
    case Place::kOtherNic:
      return "other NIC";
    case Place::kOtherCore:
      return "other core";
  }
  return "";
}

std::string part_name(const Part& part) {
  static constexpr const char* kDelays[] = {"due, until a coroutine is free",
                                            "composed, until posted",
                                            "send queue",
                                            "behind earlier requests",
                                            "until looked at",
                                            "ready, until it runs",
                                            "asleep",
                                            "for a slot or buffer",
                                            "late",
                                            "line by line",
                                            "time-out",
                                            "stopped by chaos"};
  static_assert(std::size(kDelays) == static_cast<std::size_t>(Delay::kCount));
  switch (part.kind) {
    case Part::Kind::kActivity:
      return activity_name(static_cast<rdma::Activity>(part.number));
    case Part::Kind::kStation:
      return station_name(static_cast<simnic::Station>(part.number));
    case Part::Kind::kQueue:
      return std::string("queue: ") + resource_name(static_cast<simnic::Resource>(part.number));
    case Part::Kind::kDelay:
      return kDelays[part.number];
  }
  return "";
}

}  // namespace verbena::experiments
