// Names of stages, stations and resources.
#include "simnic/observe/observer.h"

#include <iterator>

namespace verbena::simnic {

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::kPost:
      return "post";
    case Stage::kIssue:
      return "request";
    case Stage::kExecute:
      return "execute";
    case Stage::kRespond:
      return "response";
    case Stage::kComplete:
      return "complete";
    case Stage::kPoll:
      return "poll";
  }
  return "";
}

const char* station_name(Station station) {
  static constexpr const char* kNames[] = {"work request",
                                           "BlueFlame write",
                                           "doorbell write",
                                           "locks",
                                           "MMIO",
                                           "processing unit",
                                           "busy queue",
                                           "WQE fetch",
                                           "payload fetch",
                                           "queue pair state",
                                           "translation",
                                           "translation, same fetch",
                                           "memory read",
                                           "memory write",
                                           "receive request fetch",
                                           "receive completion",
                                           "atomic slot",
                                           "port",
                                           "link",
                                           "cables and switches",
                                           "loopback",
                                           "request state",
                                           "result write",
                                           "completion",
                                           "completion, behind data",
                                           "far socket",
                                           "poll",
                                           "pointer fetch",
                                           "scratch"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Station::kCount));
  return kNames[static_cast<std::size_t>(station)];
}

const char* resource_name(Resource resource) {
  static constexpr const char* kNames[] = {
      "time",          "core", "PCIe from host", "PCIe to host",  "processing units",
      "receive units", "port", "atomic slot",    "state fetches", "link"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Resource::kCount));
  return kNames[static_cast<std::size_t>(resource)];
}

}  // namespace verbena::simnic
