// The order of operations: arrival, begin, answer.
#include "simnic/nic/chain_executor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

using rdma::ChainOpcode;
using rdma::ChainOutcome;
using Where = rdma::Place::Where;

bool has_effect(const rdma::Operation& operation) {
  return operation.opcode != ChainOpcode::kRead || operation.redirect.where != Where::kRequest;
}

ibv_wc_status status_of(ChainOutcome outcome) {
  return outcome == ChainOutcome::kAccessError ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_INV_REQ_ERR;
}

rdma::MemoryRights rights(const Region& region, const QueuePair& peer) {
  const int access = region.access & static_cast<int>(peer.access);
  return {.readable = (access & IBV_ACCESS_REMOTE_READ) != 0,
          .writable = (access & IBV_ACCESS_REMOTE_WRITE) != 0,
          .atomics = (access & IBV_ACCESS_REMOTE_ATOMIC) != 0};
}

void write_reply(Packet& packet, const rdma::OperationResult& result) {
  const ChainReply reply{.length = result.length,
                         .bytes = static_cast<std::uint32_t>(result.data.size()),
                         .outcome = static_cast<std::uint8_t>(result.outcome)};
  std::memcpy(packet.payload, &reply, sizeof reply);
  if (reply.bytes != 0) {
    std::memcpy(packet.payload + sizeof reply, result.data.data(), reply.bytes);
  }
  packet.message.chain.returned = reply.bytes;
}

}  // namespace

ChainContext& ChainExecutor::context_of(QueuePair& peer) const {
  SeldomState& seldom = peer.need_seldom();
  if (seldom.chain != nullptr) return *seldom.chain;
  seldom.chain = std::make_unique<ChainContext>();
  seldom.chain->order = &seldom.chain_order;
  NicChains& chains = peer.nic->need_chains();
  const auto bytes = static_cast<std::int64_t>(rdma::kScratchBytes);
  if (chains.scratch_bytes + bytes <= peer.nic->machine.nic.prism_scratch) {
    chains.scratch_bytes += bytes;
    seldom.chain->scratch_on_nic = true;
  }
  return *seldom.chain;
}

ChainExecution& ChainExecutor::take_execution(Packet& packet, ChainContext& context) {
  if (free_.empty()) free_.push_back(&executions_.emplace_back());
  ChainExecution& execution = *free_.back();
  free_.pop_back();
  execution.packet = &packet;
  execution.context = &context;
  packet.execution = &execution;
  return execution;
}

void ChainExecutor::release(ChainExecution& execution) {
  if (chaos_) {
    std::erase_if(execution.packet->message.to->need_chains().updates,
                  [&](const auto& update) { return update.by == &execution; });
  }
  std::vector<std::byte> room = std::move(execution.room);
  std::destroy_at(&execution);
  std::construct_at(&execution);
  execution.room = std::move(room);
  free_.push_back(&execution);
}

void ChainExecutor::schedule_step(Picoseconds time, ChainExecution& execution) {
  ++execution.events;
  schedule(time, EventKind::kChainStep, *execution.packet);
}

void ChainExecutor::arrives(Packet& packet, QueuePair& peer, Picoseconds wait) {
  ChainContext& context = context_of(peer);
  ChainExecution& execution = take_execution(packet, context);
  auto& work = *reinterpret_cast<ChainWork*>(packet.payload);
  work.operation.payload = {packet.payload + sizeof work, packet.message.chain.carried};
  context.pending.push_back(&execution);
  peer.chain_pending = true;
  schedule_step(pass_unit(packet, peer, work.operation, wait), execution);
}

// A processing unit is not held while pointers are fetched.
Picoseconds ChainExecutor::pass_unit(Packet& packet, QueuePair& peer,
                                     const rdma::Operation& operation, Picoseconds wait) {
  Nic& nic = *peer.nic;
  const NicProfile& p = nic.machine.nic;
  const std::int64_t bytes = std::max(packet.message.chain.carried, packet.message.chain.returned);
  Picoseconds service =
      nic.machine.costs[packet.message.operation].responder + Stations::processing_time(p, bytes);
  if (operation.target_indirect) service += p.prism_indirect;
  Picoseconds latency = p.responder_latency + stations_.queue_pair_state(nic, peer, service, wait);
  Server& unit = nic.server_of(peer, nic.units);
  // It has been at it since the first packet came.
  wait = std::max(
      wait, unit.enter(now() - to_picoseconds(Nanoseconds(packet.message.spread_ns)), service));
  const Picoseconds ready = now() + wait + latency;
  if (observed_) [[unlikely]] {
    observation_.unit(nic, unit, service, p.responder_latency);
    observation_.end(wait, ready, ready);
  }
  return ready;
}

void ChainExecutor::step(Packet& packet, QueuePair* peer) {
  ChainExecution& execution = *packet.execution;
  ChainContext& context = *execution.context;
  --execution.events;
  if (peer == nullptr || context.abandoned) return abandon(context);
  if (!execution.arrived) {
    execution.arrived = true;
    context.order->begin(now());
  } else if (!execution.accesses.empty()) {
    Nic& nic = *peer->nic;
    Region* region = nic.find_region(packet.message.key);
    const ChainAccess::Kind kind = execution.accesses.front().kind;
    if (kind == ChainAccess::Kind::kNone) {
      execution.accesses.pop_front();
      know_outcome(execution);
    } else if (region == nullptr || region->bytes < execution.memory.bytes) {
      // It was deregistered meanwhile.
      execution.accesses.clear();
      execution.result = {ChainOutcome::kAccessError, 0, {}};
      execution.known = true;
    } else {
      if (!perform(execution, nic, *region)) return;
      execution.accesses.pop_front();
      if (kind != ChainAccess::Kind::kWrite || chaos_) {
        execution.run->done();
        proceed(execution, *peer);
      }
    }
  }
  advance(*peer, context);
}

void ChainExecutor::advance(QueuePair& peer, ChainContext& context) {
  begin_ready(peer, context);
  while (!context.pending.empty()) {
    const ChainExecution& first = *context.pending.front();
    if (!first.answerable()) return;
    if (!answer(peer, context)) return abandon(context);
    begin_ready(peer, context);
  }
  peer.chain_pending = !context.held.empty();
}

// READs that leave nothing at the server overlap; others begin when all before have made their
// accesses, and those behind them when their outcome is known.
void ChainExecutor::begin_ready(QueuePair& peer, ChainContext& context) {
  const ChainExecution* before = nullptr;
  bool all_ended = true;
  for (ChainExecution* const execution : context.pending) {
    if (!execution->begun) {
      if (!execution->arrived) return;
      const bool waits = execution->operation().conditional && before != nullptr && !before->known;
      if (waits || (has_effect(execution->operation()) && !all_ended)) return;
      begin(*execution, peer, before != nullptr ? before->outcome() : context.last);
    }
    if (!execution->known && has_effect(execution->operation())) return;
    before = execution;
    all_ended = all_ended && execution->ended();
  }
}

void ChainExecutor::begin(ChainExecution& execution, QueuePair& peer, ChainOutcome before) {
  Nic& nic = *peer.nic;
  ChainContext& context = *execution.context;
  const rdma::Operation& operation = execution.operation();
  execution.begun = true;
  context.order->end(now());
  context.state.end(before);
  if (!context.state.begin(operation)) {
    execution.result = {context.state.outcome(), 0, {}};
    if (execution.result.outcome == ChainOutcome::kSkipped) nic.count(Counter::kPrismSkipped);
    return settle(execution, peer);
  }
  NicChains& chains = nic.need_chains();
  execution.number = chains.running.begin();
  execution.counted = true;
  const Region* region = nic.find_region(execution.packet->message.key);
  if (region == nullptr || !same_domain(*region, peer)) {
    execution.result = {ChainOutcome::kAccessError, 0, {}};
    return settle(execution, peer);
  }
  for (const std::unique_ptr<ChainFreeList>& list : chains.lists) {
    const bool here = list != nullptr && list->start == region->start && list->end <= region->bytes;
    execution.lists.push_back(here ? &list->list : nullptr);
  }
  execution.memory = {region->bytes, rights(*region, peer), execution.lists};
  const std::size_t room = rdma::OperationRun::room_for(operation);
  execution.room.resize(std::max(execution.room.size(), room));
  if (!context.scratch_on_nic && scratch_uses(operation).reads) read_scratch(execution, nic);
  execution.run.emplace(operation, execution.memory, context.state.scratch(), execution.room);
  if (operation.opcode == ChainOpcode::kAllocate) {
    // Entries of a list come ahead, as receive requests do.
    Picoseconds beside = 0;
    stations_.fetch_receive_request(nic, beside);
  }
  proceed(execution, peer);
}

void ChainExecutor::know_outcome(ChainExecution& execution) {
  if (execution.known) return;
  execution.result = execution.run->result();
  execution.known = true;
}

// Requests of libibverbs that came before may still have to take effect.
void ChainExecutor::settle(ChainExecution& execution, const QueuePair& peer) {
  execution.known = true;
  if (peer.last_effect <= now() || !execution.accesses.empty()) return;
  execution.accesses.emplace_back();
  schedule_step(peer.last_effect, execution);
}

bool ChainExecutor::answer(QueuePair& peer, ChainContext& context) {
  ChainExecution& execution = *context.pending.front();
  Packet& packet = *execution.packet;
  if (execution.counted) peer.nic->need_chains().running.end(execution.number);
  const ChainOutcome outcome = execution.result.outcome;
  if (!is_error(outcome)) write_reply(packet, execution.result);
  if (outcome == ChainOutcome::kNoBuffer) peer.nic->count(Counter::kPrismNoBuffer);
  context.pending.pop_front();
  release(execution);
  context.last = outcome;
  if (is_error(outcome)) {
    answers_.refuse(packet, peer, status_of(outcome));
    return false;
  }
  answers_.respond(packet, peer);
  return true;
}

void ChainExecutor::lose(ChainExecution& execution) {
  Packet& packet = *execution.packet;
  release(execution);
  answers_.lose(packet, nullptr);
}

// Executions with events to come are lost with the last of them.
void ChainExecutor::abandon(ChainContext& context) {
  context.abandoned = true;
  if (context.order != nullptr) context.order->end(now(), context.order->waiting());
  std::deque<ChainExecution*> later;
  for (ChainExecution* const execution : context.pending) {
    if (std::exchange(execution->counted, false)) {
      NicChains& chains = execution->packet->message.to->need_chains();
      chains.running.end(execution->number);
      std::erase_if(chains.updates, [&](const auto& update) { return update.by == execution; });
    }
    if (execution->events == 0) {
      lose(*execution);
    } else {
      later.push_back(execution);
    }
  }
  context.pending = std::move(later);
  for (Packet* const packet : std::exchange(context.held, {})) answers_.lose(*packet, nullptr);
}

// Requests out of turn are answered at once, so they would overtake.
bool ChainExecutor::holds(const QueuePair& peer, const Packet& packet) {
  return !packet.message.of_chain() || packet.message.psn != peer.expected_psn ||
         !peer.seldom->chain->held.empty();
}

void ChainExecutor::hold(Packet& packet, QueuePair& peer) {
  peer.seldom->chain->held.push_back(&packet);
  peer.seldom->chain_order.begin(now());
}

std::deque<Packet*> ChainExecutor::take_held(QueuePair& peer) {
  ChainContext& context = *peer.seldom->chain;
  if (!context.pending.empty()) return {};
  peer.chain_pending = false;
  peer.seldom->chain_order.end(now(), static_cast<std::uint32_t>(context.held.size()));
  return std::exchange(context.held, {});
}

}  // namespace verbena::simnic
