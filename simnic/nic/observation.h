// Telling an observer what the model does.
#pragma once

#include <cstdint>
#include <vector>

#include "simnic/engine/server.h"
#include "simnic/engine/timeline.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/objects.h"
#include "simnic/nic/packet.h"
#include "simnic/observe/observer.h"
#include "simnic/wire/path.h"
#include "simnic/wire/topology.h"

namespace verbena::simnic {

/// Passes on what happens to a node's requests, and to others' there. Calls stand behind a test of
/// `on`, so that they cost nothing without an observer. Servers are told after they were entered,
/// and know since when.
class Observation {
 public:
  /// `observer` may be null. `time` must outlive this.
  Observation(Observer* observer, const Timeline& time) : observer_(observer), time_(time) {}

  bool on() const { return observer_ != nullptr; }
  Observer* observer() const { return observer_; }

  [[gnu::cold]] void begin(Stage stage, const Request& request, Picoseconds time);
  /// Tells likewise of a packet, with what its requester's record adds, if that is still there.
  [[gnu::cold]] void begin(Stage stage, const Packet& packet, Picoseconds time);
  [[gnu::cold]] void end(Picoseconds wait, Picoseconds ready, Picoseconds time);
  [[gnu::cold]] void request(const Request& posted);
  [[gnu::cold]] void post(const Request& first, Picoseconds cost);
  /// Tells that the core that posts `first` has written to its NIC for `cost`, after waiting for
  /// locks; the write is busy on PCIe for `mmio`.
  [[gnu::cold]] void doorbell(Station station, const Request& first, Picoseconds cost,
                              Picoseconds mmio);
  [[gnu::cold]] void completion(const Completion& taken);
  [[gnu::cold]] void poll(const Completion& first, Picoseconds cost);
  [[gnu::cold]] void data(const Packet& packet, std::uint64_t address);
  /// Tells that a processing unit of `nic` was entered with `service`; the request takes `latency`
  /// there.
  [[gnu::cold]] void unit(const Nic& nic, const Server& unit, Picoseconds service,
                          Picoseconds latency);
  [[gnu::cold]] void delay(Station station, const Nic& nic, Picoseconds latency);
  [[gnu::cold]] void state_fetch(const Nic& nic);
  [[gnu::cold]] void slot(const Nic& nic, Picoseconds hold);
  [[gnu::cold]] void dma(Station station, const Nic& nic, Picoseconds to_host,
                         Picoseconds from_host, Picoseconds latency);
  /// Tells that a message has entered `link`, of the links that lead to its receiver alone.
  [[gnu::cold]] void own_link(std::uint32_t number, const Link& link, Picoseconds service);
  /// Tells that a message of `bytes` on the wire has gone its way, up to those links; from its
  /// first byte to its last it takes `transfer` more than a short one.
  [[gnu::cold]] void way(const Nic& from, Path way, const std::vector<Link>& links,
                         std::int64_t bytes, Picoseconds transfer);

 private:
  Observer* observer_;
  const Timeline& time_;
  Picoseconds observed_post_ = 0;  ///< time at which the posting core had built its requests
};

}  // namespace verbena::simnic
