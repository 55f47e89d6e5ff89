// Slots, replies, and the end of patience.
#include "rdma/rpc/rpc_calls.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {

std::uint16_t RpcCalls::add_owner(RpcBatch& batch) {
  if (free_owners_.empty()) {
    if (owners_.size() > UINT16_MAX) throw std::logic_error("more than 65535 batches in a worker");
    owners_.push_back(&batch);
    return static_cast<std::uint16_t>(owners_.size() - 1);
  }
  const std::uint16_t owner = free_owners_.back();
  free_owners_.pop_back();
  owners_[owner] = &batch;
  return owner;
}

void RpcCalls::remove_owner(std::uint16_t owner) {
  if (owners_[owner]->pending_ > 0) {
    for (Call& call : calls_) {
      if (call.owner == owner) call.owner = 0;
    }
  }
  owners_[owner] = nullptr;
  free_owners_.push_back(owner);
}

void RpcCalls::send(RpcBatch& batch, std::size_t index, Doorbell doorbell) {
  const RpcBatch::Call& call = batch.calls_[index];
  RpcSession& session = sessions_.to(call.peer);
  const auto request = std::span(batch.requests_).subspan(call.request_at, call.request_bytes);
  BufferId buffer = kNoBuffer;
  for (;;) {
    if (rpc_.health.is_dead(call.peer)) rpc_.throw_missing(call.peer, "has been declared dead");
    if (session.unreachable) rpc_.throw_missing(call.peer, "did not answer");
    const bool slot_free = static_cast<std::uint32_t>(std::countr_one(session.busy_slots)) <
                           rpc_.options.slots_per_peer;
    if (slot_free) buffer = sender_.take_buffer(request);
    if (buffer != kNoBuffer) break;
    if (slot_free) {
      rpc_.wait_in(rpc_.memory_waiters);
    } else {
      wait_for_slot(session);
    }
  }
  const std::uint32_t number = open(session, batch, index, buffer);
  sender_.write_header(session, buffer, MessageKind::kRequest, call.method, calls_[number].slot,
                       calls_[number].sequence);
  ++rpc_.counters.calls;
  calls_[number].buffer = sender_.send_new(session, buffer, doorbell);
}

void RpcCalls::wait_for_slot(RpcSession& session) {
  rpc_.thread.core().reach("rpc: all slots to a peer in use");
  session.awaited = true;
  waiters_.push_back({session.link, rpc_.thread.current_fiber()});
  rpc_.thread.suspend();
}

void RpcCalls::wake_first_waiter(RpcSession& session) {
  if (!session.awaited) return;
  const auto first = std::ranges::find(waiters_, session.link, &Waiter::link);
  rpc_.thread.make_ready(first->fiber);
  const auto next = waiters_.erase(first);
  session.awaited =
      std::ranges::find(next, waiters_.end(), session.link, &Waiter::link) != waiters_.end();
}

void RpcCalls::wake_waiters(RpcSession& session) {
  while (session.awaited) wake_first_waiter(session);
}

std::uint32_t RpcCalls::open(RpcSession& session, RpcBatch& batch, std::size_t index,
                             BufferId buffer) {
  const auto slot = static_cast<std::uint16_t>(std::countr_one(session.busy_slots));
  assert(slot < rpc_.options.slots_per_peer);
  session.busy_slots |= std::uint64_t{1} << slot;
  if (slot >= session.caller_slots.size()) {
    session.caller_slots.grow(slot + 1U, {.sequence = rpc_.options.first_number});
  }
  RpcSession::CallerSlot& caller = session.caller_slots[slot];

  std::uint32_t number;
  if (free_calls_.empty()) {
    number = static_cast<std::uint32_t>(calls_.size());
    calls_.emplace_back().timer = rpc_.timers.create(timer_target(TimerKind::kCall, number));
  } else {
    number = free_calls_.back();
    free_calls_.pop_back();
  }
  assert(caller.call == UINT32_MAX);
  caller.call = number;
  const TimerId timer = calls_[number].timer;
  calls_[number] = {session.link,      batch.owner_, slot, 0, static_cast<std::uint32_t>(index),
                    ++caller.sequence, buffer,       timer};
  rpc_.arm_retry(timer, 0);
  ++batch.pending_;
  ++open_;
  return number;
}

void RpcCalls::close(std::uint32_t number, std::span<const std::byte> reply, bool answered) {
  const Call call = calls_[number];
  RpcSession& session = sessions_.opened(call.link);
  assert(session.caller_slots[call.slot].call == number && open_ > 0);
  session.busy_slots &= ~(std::uint64_t{1} << call.slot);
  session.caller_slots[call.slot].call = UINT32_MAX;
  rpc_.timers.disarm(call.timer);
  calls_[number].owner = 0;
  free_calls_.push_back(number);
  --open_;
  sender_.settle(call.buffer);
  wake_first_waiter(session);
  if (call.owner == 0) return;
  RpcBatch& batch = *owners_[call.owner];
  if (answered) {
    batch.store_reply(call.index, reply);
    rpc_.thread.core().spend(Work::kCopyLine, cache_lines(reply.size()));
  } else {
    batch.missing_ = session.peer;
  }
  assert(batch.pending_ > 0);
  if (--batch.pending_ == 0 && batch.waiter_ != kNoFiber) {
    rpc_.thread.make_ready(std::exchange(batch.waiter_, kNoFiber));
  }
}

void RpcCalls::repeat(std::uint32_t number) {
  Call& call = calls_[number];
  const RpcSession& session = sessions_.opened(call.link);
  if (call.attempts == rpc_.options.retries || rpc_.health.is_dead(session.peer)) {
    close(number, {}, false);
    return;
  }
  ++call.attempts;
  rpc_.arm_retry(call.timer, call.attempts);
  if (rpc_.transport->lossless()) return;
  const Buffer& buffer = (*rpc_.transport)[call.buffer];
  if (buffer.queued || buffer.references > kMaxReferences) return;
  ++rpc_.counters.retransmissions;
  rpc_.thread.core().reach("rpc: request repeated");
  rpc_.thread.core().note(Notice::kRepeated, rpc_.address_of(call.buffer));
  sender_.send(session, call.buffer, Doorbell::kBatched);
}

void RpcCalls::receive(RpcSession& session, const MessageHeader& header,
                       std::span<const std::byte> payload) {
  if (header.slot >= session.caller_slots.size()) {
    ++rpc_.counters.foreign;
    return;
  }
  const RpcSession::CallerSlot& slot = session.caller_slots[header.slot];
  if (slot.call == UINT32_MAX || slot.sequence != header.sequence) {
    ++rpc_.counters.duplicates;
    rpc_.thread.core().reach("rpc: reply comes too late");
    return;
  }
  close(slot.call, payload, true);
}

void RpcCalls::drop(const std::function<bool(const RpcSession& session)>& to_be_dropped) {
  for (std::uint32_t number = 0; number < calls_.size(); ++number) {
    const Call& call = calls_[number];
    const RpcSession& session = sessions_.opened(call.link);
    const auto& slots = session.caller_slots;
    const bool open = call.slot < slots.size() && slots[call.slot].call == number;
    if (open && to_be_dropped(session)) close(number, {}, false);
  }
}

}  // namespace verbena::rdma
