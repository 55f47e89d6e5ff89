// The events of a node's NICs.
#include "simnic/nic/node.h"

#include <algorithm>

#include "rdma/base/cache_line.h"

namespace verbena::simnic {
namespace {

/// Prefetches the first byte and the last; the processor foresees what lies between.
[[gnu::always_inline]] inline void prefetch_bytes(std::uint64_t address, std::uint64_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  __builtin_prefetch(reinterpret_cast<const void*>(address + bytes - 1));
}

template <std::size_t kLines>
[[gnu::always_inline]] inline void prefetch_lines(const void* from) {
  for (std::size_t i = 0; i < kLines; ++i) {
    __builtin_prefetch(static_cast<const char*>(from) + kCacheLineBytes * i);
  }
}

}  // namespace

Node::Node(const Surroundings& surroundings, NodeId number, const Machine& machine)
    : surroundings_(surroundings),
      machine_(machine),
      time_(*this,
            {.fabric = surroundings.fabric,
             .seed = surroundings.options.seed,
             .chaos = surroundings.options.chaos,
             .observer = surroundings.options.observer},
            number),
      observation_(surroundings.options.observer, time_),
      ways_(surroundings.fabric, time_, observation_),
      packets_(surroundings.packets),
      requests_(packets_),
      stations_(context()),
      completions_(context()),
      queue_pairs_(context(), completions_),
      requester_(context(), stations_, completions_),
      answers_(context(), completions_),
      chains_(context(), stations_, answers_),
      responder_(context(), stations_, completions_, answers_, queue_pairs_, chains_) {
  packets_.use(*surroundings.threads.front());
}

EventContext Node::context() {
  return {.options = surroundings_.options,
          .fabric = surroundings_.fabric,
          .time = time_,
          .observation = observation_,
          .ways = ways_,
          .requests = requests_,
          .packets = packets_};
}

Nic& Node::add_nic(std::uint32_t number) {
  const auto index = static_cast<std::uint32_t>(nics_.size());
  Nic& nic = *nics_.emplace_back(
      std::make_unique<Nic>(number, time_.node(), index, machine_, surroundings_.options.seed));
  nic.requests = &requests_;
  return nic;
}

void Node::set_topology(Topology& topology) {
  ways_.set_topology(topology, nics_.size(), surroundings_.nics.size());
}

Nic* Node::find_nic(const ibv_gid& gid) const {
  const std::size_t number = std::size_t{gid.raw[14]} << 8 | gid.raw[15];
  if (number >= surroundings_.nics.size()) return nullptr;
  for (int index = 0; index < 2; ++index) {
    const ibv_gid own = surroundings_.nics[number]->gid(index);
    if (std::equal(std::begin(own.raw), std::end(own.raw), std::begin(gid.raw))) {
      return surroundings_.nics[number];
    }
  }
  return nullptr;
}

void Node::prefetch_referred(const TimedEvent* event) {
  if (event == nullptr || event->kind() <= EventKind::kCoreWake) return;
  if (event->kind() == EventKind::kDoorbell) {
    return prefetch_lines<3>(requests_[event->index].queue_pair);
  }
  if (event->kind() < EventKind::kRequestArrives) return;
  const Packet& packet = packets_[event->index];
  // Addresses of payloads are only hints here: prefetching what is not mapped does nothing.
  switch (event->kind()) {
    case EventKind::kRequestArrives:
      return prefetch_lines<2>(packet.peer);
    case EventKind::kMemoryEffect:
      prefetch_bytes(packet.message.remote_address, packet.message.bytes);
      return prefetch_lines<2>(packet.peer);
    case EventKind::kAnswerArrives:
      __builtin_prefetch(packet.payload);
      prefetch_lines<2>(&requests_[packet.request]);
      return prefetch_lines<2>(packet.queue_pair);
    default:
      return;
  }
}

void Node::prefetch() {
  // The records of the run of events that comes next, then what these refer to a few events ahead:
  // several hundred cycles each.
  constexpr std::size_t kNear = 4;
  if (time_.events().run_began()) {
    for (const TimedEvent& event : time_.events().next_run()) {
      if (event.kind() >= EventKind::kRequestArrives) {
        prefetch_lines<2>(&packets_[event.index]);
      } else if (event.kind() > EventKind::kCoreWake) {
        prefetch_lines<2>(&requests_[event.index]);
      }
    }
    for (std::size_t i = 0; i < kNear; ++i) prefetch_referred(time_.events().ahead(i));
  }
  prefetch_referred(time_.events().ahead(kNear));
}

void Node::run_until(Picoseconds end, unsigned thread) {
  packets_.use(*surroundings_.threads[thread]);
  time_.run_until(
      end, [this] { prefetch(); }, [this](const TimedEvent& event) { handle(event); });
}

void Node::step() {
  packets_.use(*surroundings_.threads.front());
  time_.step([this] { prefetch(); }, [this](const TimedEvent& event) { handle(event); });
}

void Node::handle_request(const TimedEvent& event) {
  Request& request = requests_[event.index];
  if ((request.generation & TimedEvent::kTagMask) != event.tag()) return;
  if (event.kind() == EventKind::kDoorbell) return requester_.doorbell_arrives(request);
  requester_.retry(request);
}

void Node::handle(const TimedEvent& event) {
  switch (event.kind()) {
    case EventKind::kRequestArrives:
      return responder_.request_arrives(packets_[event.index]);
    case EventKind::kMemoryEffect:
      return responder_.memory_effect(packets_[event.index]);
    case EventKind::kMemoryLine:
      return responder_.memory_line(packets_[event.index]);
    case EventKind::kAnswerArrives:
      return requester_.answer_arrives(packets_[event.index]);
    case EventKind::kChainStep:
      return responder_.chain_step(packets_[event.index]);
    default:
      return handle_request(event);
  }
}

void Node::crash(Picoseconds late) {
  for (const std::unique_ptr<Nic>& nic : nics_) nic->off = true;
  death_ = late;
  time_.stop_cores();
}

void Node::watch(const ibv_mr& memory, SimCore& core) {
  Nic& nic = *static_cast<VerbsContext*>(memory.context)->nic;
  nic.find_region(memory.lkey)->watcher = &core;
}

void Node::forget_cores() {
  queue_pairs_.remove_pollers();
  for (const std::unique_ptr<Nic>& nic : nics_) nic->remove_watchers();
}

}  // namespace verbena::simnic
