// Counters of a NIC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace verbena::simnic {

/// Counters of a NIC. Names for reports are in nic.cc.
enum class Counter : std::uint8_t {
  // Counters that nearly every request changes lie in one cache line.
  kPcieReadBytes,
  kPcieWriteBytes,
  kWireBytes,
  kWirePackets,
  kQpCacheHits,
  kCqes,
  kDoorbells,
  kBlueflameWrites,
  kVerbsRead,
  kVerbsWrite,
  kVerbsSend,
  kVerbsAtomic,
  kVerbsReceive,
  kLockedDoorbells,
  kLockedQueuePairs,
  kQpCacheMisses,
  kMptCacheMisses,
  kMttCacheMisses,
  kWqeCacheMisses,
  kRcLosses,
  kUdDrops,
  kUdLosses,
  kUdDuplicates,
  kUdReordered,
  kUcDrops,
  kRnrNaks,
  kNaks,
  kRetries,
  kCqOverruns,
  kPrismRead,
  kPrismWrite,
  kPrismAllocate,
  kPrismCompareAndSwap,
  kPrismFetchAndAdd,
  kPrismFetches,   ///< reads of pointers and operands in host memory
  kPrismSkipped,   ///< conditional ones that did not run
  kPrismNoBuffer,  ///< ALLOCATEs that found their list empty
  kCount
};

inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::kCount);
using Counters = std::array<std::uint64_t, kCounters>;

/// Adds `counters` to `named` under the names that reports use.
void add_named(const Counters& counters, std::map<std::string, std::uint64_t>& named);

}  // namespace verbena::simnic
