// Use of a fabric's stations and of its nodes' cores, which tells what bounds a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/seam/work.h"

namespace verbena::rdma {

/// Use of one station of the fabric since the start. A station serves one thing at a time: a
/// processing unit of a NIC, a direction of a PCIe slot or of a cable.
struct StationUse {
  std::uint8_t kind;     ///< of FabricUse::kinds
  std::uint64_t number;  ///< among those of its kind
  Picoseconds busy;
  Picoseconds waited;    ///< time in front of it, summed over all that waited
  Picoseconds for_miss;  ///< part of `busy` spent on misses of the NIC's caches
};

/// Use of one core since its start. It waited, or polled for nothing, in the time that `spent` does
/// not cover.
struct CoreUse {
  NodeId node;
  WorkerId worker;
  Picoseconds clock;  ///< the core's
  std::array<Picoseconds, kActivities> spent;
  Picoseconds waited;  ///< time of completions until the core took them, summed over all
};

/// Time in which a link between nodes carried nothing.
struct LinkOutage {
  std::string link;  ///< its name in the platform
  Picoseconds from;
  std::optional<Picoseconds> until;  ///< nothing: it lasts
};

/// Use of everything until the same instant. Empty where the hardware does not tell.
struct FabricUse {
  Picoseconds time = 0;                  ///< the fabric's clock
  std::vector<const char*> kinds;        ///< "processing units", ...
  std::vector<StationUse> stations;      ///< by kind, then number; later there may be more
  std::vector<CoreUse> cores;            ///< always the same ones in the same order
  std::vector<LinkOutage> outages = {};  ///< of links that have carried something, by their begin
};

}  // namespace verbena::rdma
