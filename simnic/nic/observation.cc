// Telling an observer: only reached when there is one.
#include "simnic/nic/observation.h"

#include <algorithm>

#include "simnic/nic/operations.h"
#include "simnic/nic/request_pool.h"

namespace verbena::simnic {
namespace {

RequestIdentity identity_of(const Message& message) {
  return {.node = message.from->node,
          .from = message.from->number,
          .to = message.to == nullptr ? message.from->number : message.to->number,
          .queue_pair = message.source_qp,
          .index = message.send_index,
          .wr_id = 0,
          .bytes = std::max(message.carried_bytes(), message.result_bytes()),
          .opcode = static_cast<std::uint8_t>(kOperations[message.operation].opcode)};
}

RequestIdentity identity_of(const Request& request) {
  RequestIdentity identity = identity_of(request.message);
  identity.wr_id = request.wr_id;
  return identity;
}

RequestIdentity identity_of(const Completion& completion) {
  const Nic& nic = *completion.queue_pair->nic;
  return {.node = nic.node,
          .from = nic.number,
          .to = nic.number,
          .queue_pair = completion.queue_pair->qp_num,
          .index = completion.sent,
          .wr_id = completion.wr_id,
          .bytes = completion.byte_count,
          .opcode = 0};
}

/// A visit to a queue that was just entered.
Visit visit_of(Station station, Resource resource, std::uint32_t number, const Server& server,
               Picoseconds service) {
  return {station, resource, number, 0, server.free_at() - service, service, 0};
}

}  // namespace

void Observation::begin(Stage stage, const Request& request, Picoseconds time) {
  observer_->begin(stage, identity_of(request), time);
}

// With an observer all nodes' events happen on one thread.
void Observation::begin(Stage stage, const Packet& packet, Picoseconds time) {
  RequestIdentity identity = identity_of(packet.message);
  const Request& request = (*packet.message.from->requests)[packet.request];
  const bool kept = request.message.from == packet.message.from &&
                    request.message.send_index == packet.message.send_index &&
                    request.message.source_qp == packet.message.source_qp;
  if (kept) identity.wr_id = request.wr_id;
  observer_->begin(stage, identity, time);
}

void Observation::end(Picoseconds wait, Picoseconds ready, Picoseconds time) {
  observer_->end(wait, ready, time);
}

void Observation::request(const Request& posted) {
  if (time_.current() == nullptr) return;
  observer_->posts(time_.current()->moment(), identity_of(posted), posted.local_address);
}

void Observation::completion(const Completion& taken) {
  if (time_.current() == nullptr || taken.receive) return;
  observer_->polls(time_.current()->moment(), identity_of(taken));
}

void Observation::data(const Packet& packet, std::uint64_t address) {
  observer_->lands(identity_of(packet.message), address, time_.now());
}

void Observation::post(const Request& first, Picoseconds cost) {
  if (time_.current() == nullptr) return begin(Stage::kPost, first, time_.now());
  begin(Stage::kPost, first, time_.current()->local());
  observer_->on_core(time_.current()->node(), time_.current()->worker());
  observer_->visit({Station::kPost, Resource::kCore, first.message.from->number, 0, 0, cost, cost});
  observed_post_ = time_.current()->local() + cost;
}

void Observation::doorbell(Station station, const Request& first, Picoseconds cost,
                           Picoseconds mmio) {
  const Nic& nic = *first.message.from;
  if (time_.current() != nullptr) {
    const Picoseconds locks = time_.current()->local() - cost - observed_post_;
    if (locks != 0) {
      observer_->visit({Station::kLocks, Resource::kCore, nic.number, 0, 0, locks, locks});
    }
    observer_->visit({station, Resource::kCore, nic.number, 0, 0, cost, cost});
    if (first.far) delay(Station::kFarSocket, nic, nic.machine.cpu.far_socket);
  }
  observer_->visit(
      visit_of(Station::kMmio, Resource::kFromHost, nic.number, nic.pcie_from_host, mmio));
  delay(Station::kMmio, nic, nic.machine.cpu.mmio_latency);
}

void Observation::poll(const Completion& first, Picoseconds cost) {
  if (time_.current() == nullptr) return;
  const Picoseconds begin = time_.current()->local();
  observer_->begin(Stage::kPoll, identity_of(first), begin);
  observer_->on_core(time_.current()->node(), time_.current()->worker());
  observer_->visit(
      {Station::kPoll, Resource::kCore, first.queue_pair->nic->number, 0, 0, cost, cost});
  observer_->end(0, begin + cost, begin + cost);
}

void Observation::unit(const Nic& nic, const Server& unit, Picoseconds service,
                       Picoseconds latency) {
  const bool receives =
      &unit >= nic.receivers.data() && &unit < nic.receivers.data() + nic.receivers.size();
  const Resource resource = receives ? Resource::kReceiving : Resource::kProcessing;
  const Server* first = receives ? nic.receivers.data() : nic.units.data();
  Visit visit = visit_of(Station::kUnits, resource, nic.number, unit, service);
  visit.part = static_cast<std::uint32_t>(&unit - first);
  visit.latency = latency;
  observer_->visit(visit);
}

void Observation::delay(Station station, const Nic& nic, Picoseconds latency) {
  if (latency == 0) return;
  observer_->visit({station, Resource::kNone, nic.number, 0, 0, 0, latency});
}

void Observation::slot(const Nic& nic, Picoseconds hold) {
  observer_->visit({Station::kAtomicSlot, Resource::kAtomicSlot, nic.number, 0, 0, hold, 0});
}

void Observation::state_fetch(const Nic& nic) {
  observer_->visit(visit_of(Station::kQueuePairState, Resource::kQueuePairFetches, nic.number,
                            nic.qp_fetches, nic.machine.qp_fetch_time));
}

void Observation::dma(Station station, const Nic& nic, Picoseconds to_host, Picoseconds from_host,
                      Picoseconds latency) {
  observer_->visit(visit_of(station, Resource::kToHost, nic.number, nic.pcie_to_host, to_host));
  if (from_host != 0) {
    observer_->visit(
        visit_of(station, Resource::kFromHost, nic.number, nic.pcie_from_host, from_host));
  }
  const bool beside = station == Station::kReceiveCompletion || station == Station::kAtomicSlot ||
                      station == Station::kCompletionBeside ||
                      station == Station::kTranslationBeside;
  if (!beside) delay(station, nic, latency);
}

void Observation::own_link(std::uint32_t number, const Link& link, Picoseconds service) {
  observer_->visit(visit_of(Station::kLink, Resource::kLink, number, link.server, service));
}

void Observation::way(const Nic& from, Path way, const std::vector<Link>& links, std::int64_t bytes,
                      Picoseconds transfer) {
  const Picoseconds serialization = transfer_time(bytes, from.machine.nic.port_rate);
  Visit port = visit_of(Station::kPort, Resource::kPort, from.number, from.port,
                        serialization / from.machine.nic.ports);
  port.latency = std::min(serialization, transfer);
  observer_->visit(port);
  for (std::uint32_t i = 0; i < way.shared(); ++i) {
    const Link& link = links[way.links()[i]];
    if (link.rate == 0) continue;
    const Picoseconds service = transfer_time(bytes, link.rate);
    Visit visit = visit_of(Station::kLink, Resource::kLink, way.links()[i], link.server, service);
    if (!link.shared) visit.begin = time_.now();
    observer_->visit(visit);
  }
  delay(Station::kLink, from, transfer - port.latency);
  delay(Station::kWire, from, way.latency());
}

}  // namespace verbena::simnic
