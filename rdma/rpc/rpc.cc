// Calls and notifications of one worker, from the caller's side.
#include "rdma/rpc/rpc.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/rpc/rpc_timers.h"

namespace verbena::rdma {
std::span<std::byte> RpcReply::allocate(std::size_t bytes) {
  if (buffer_ != kNoBuffer) throw std::logic_error("a reply is allocated once");
  buffer_ = rpc_.take_reply_buffer(bytes);
  return rpc_.payload(buffer_);
}

RpcReply::~RpcReply() {
  if (buffer_ != kNoBuffer) rpc_.give_back(buffer_);
}

std::uint32_t RpcReply::take_buffer() {
  if (buffer_ == kNoBuffer) return rpc_.take_reply_buffer(0);
  return std::exchange(buffer_, kNoBuffer);
}

std::size_t RpcReply::bytes() const {
  return buffer_ == kNoBuffer ? 0 : rpc_.payload(buffer_).size();
}

Rpc::Rpc(const WorkerContext& context)
    : thread_(context.thread),
      health_(context.health),
      options_(context.options.rpc),
      links_(*context.options.links),
      transport_(RpcTransport::create(context)),
      notify_window_(context.options.notify_window(links_.links(thread_.node(), thread_.id()))),
      sessions_(links_.link_numbers(thread_.node())),
      owners_(1),
      timers_(options_.retries + 2) {
  // How many messages leave in one turn is a matter of timing, so the first time may be late: room
  // for as many as leave at once, and for an acknowledgement to each peer.
  outbox_.reserve(options_.send_queue_depth);
  ack_now_.reserve(sessions_.size());
}

WorkerCounters Rpc::counters() const {
  WorkerCounters all = counters_;
  all += transport_->counters;
  return all;
}

RpcSession& Rpc::session(std::uint16_t link) {
  if (sessions_[link] == nullptr) open_session(link);
  return *sessions_[link];
}

void Rpc::open_session(std::uint16_t link) {
  const auto place = static_cast<std::uint16_t>(link % peers_->peers.size());
  const NodeId peer = peers_->peers[place];
  const auto peer_worker =
      static_cast<WorkerId>(links_.peer_worker(thread_.node(), thread_.id(), peer, link));
  auto session = std::make_unique<RpcSession>();
  session->peer = peer;
  session->peer_worker = peer_worker;
  session->link = link;
  session->notify_window = peers_->messages(thread_.id(), link).notify_window;
  session->envelope = transport_->open(link);
  session->sent_base = session->sent_next = session->received_base = options_.first_number;
  sessions_[link] = std::move(session);
}

RpcSession* Rpc::session_of_sender(std::uint16_t link) {
  if (link >= sessions_.size()) return nullptr;
  if (sessions_[link] == nullptr) {
    const NodeId peer = peers_->peers[link % peers_->peers.size()];
    const std::uint32_t peer_worker = links_.peer_worker(thread_.node(), thread_.id(), peer, link);
    if (peer_worker >= links_.workers(peer)) return nullptr;
    open_session(link);
  }
  return sessions_[link].get();
}

// The one place that says what becomes of requests that no peer sends.
void Rpc::run_handler(const RpcCaller& caller, RpcMethod method, std::span<const std::byte> request,
                      RpcReply& reply) {
  try {
    if (!handlers_[method]) [[unlikely]]
      throw Malformed("is served by nobody");
    handlers_[method](caller, request, reply);
  } catch (const Malformed& wrong) {
    throw PeerError("request of " + health_.describe(caller.node) + " (worker " +
                    std::to_string(caller.worker) + ") by method " + std::to_string(method) + ": " +
                    wrong.what());
  }
}

void Rpc::wait_in(std::vector<FiberId>& waiters) {
  waiters.push_back(thread_.current_fiber());
  thread_.suspend();
}

void Rpc::wake_all(std::vector<FiberId>& waiters) {
  for (const FiberId fiber : waiters) thread_.make_ready(fiber);
  waiters.clear();
}

void Rpc::wake_first(std::vector<FiberId>& waiters) {
  if (waiters.empty()) return;
  thread_.make_ready(waiters.front());
  waiters.erase(waiters.begin());
}

std::uint16_t Rpc::add_owner(RpcBatch& batch) {
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

void Rpc::remove_owner(std::uint16_t owner) {
  if (owners_[owner]->pending_ > 0) {
    for (Call& call : calls_) {
      if (call.owner == owner) call.owner = 0;
    }
  }
  owners_[owner] = nullptr;
  free_owners_.push_back(owner);
}

void Rpc::post(RpcBatch& batch, Doorbell doorbell) {
  while (batch.posted_ < batch.calls_.size()) {
    const std::size_t index = batch.posted_;
    if (batch.calls_[index].peer == thread_.node()) {
      call_local(batch, index);
    } else {
      call_remote(batch, index, doorbell);
    }
    ++batch.posted_;
  }
  if (options_.flush == MessageFlush::kAtOnce) post_outgoing(SIZE_MAX);
}

void Rpc::call_local(RpcBatch& batch, std::size_t index) {
  while (!transport_->can_reserve()) wait_in(memory_waiters_);
  RpcBatch::Call& call = batch.calls_[index];
  RpcReply reply(*this);
  run_handler({thread_.node(), thread_.id()}, call.method,
              std::span(batch.requests_).subspan(call.request_at, call.request_bytes), reply);
  const bool empty = reply.buffer_ == kNoBuffer;
  batch.store_reply(index, empty ? std::span<const std::byte>{} : payload(reply.buffer_));
}

void Rpc::call_remote(RpcBatch& batch, std::size_t index, Doorbell doorbell) {
  const RpcBatch::Call& call = batch.calls_[index];
  RpcSession& session = this->session(peers_->connected_place(call.peer));
  const auto request = std::span(batch.requests_).subspan(call.request_at, call.request_bytes);
  BufferId buffer = kNoBuffer;
  for (;;) {
    if (health_.is_dead(call.peer)) throw_missing(call.peer, "has been declared dead");
    if (session.unreachable) throw_missing(call.peer, "did not answer");
    const bool slot_free =
        static_cast<std::uint32_t>(std::countr_one(session.busy_slots)) < options_.slots_per_peer;
    if (slot_free) buffer = take_buffer(request);
    if (buffer != kNoBuffer) break;
    if (!slot_free) thread_.core().reach("rpc: all slots to a peer in use");
    wait_in(slot_free ? memory_waiters_ : session.slot_waiters);
  }
  const std::uint32_t number = open_call(session, batch, index, buffer);
  write_header(session, buffer, MessageKind::kRequest, call.method, calls_[number].slot,
               calls_[number].sequence);
  ++counters_.calls;
  calls_[number].buffer = send_new(session, buffer, doorbell);
}

std::uint32_t Rpc::open_call(RpcSession& session, RpcBatch& batch, std::size_t index,
                             BufferId buffer) {
  const auto slot = static_cast<std::uint16_t>(std::countr_one(session.busy_slots));
  assert(slot < options_.slots_per_peer);
  session.busy_slots |= std::uint64_t{1} << slot;
  if (slot >= session.caller_slots.size()) {
    session.caller_slots.resize(slot + 1U, {.sequence = options_.first_number});
  }
  RpcSession::CallerSlot& caller = session.caller_slots[slot];

  std::uint32_t number;
  if (free_calls_.empty()) {
    number = static_cast<std::uint32_t>(calls_.size());
    calls_.emplace_back().timer = timers_.create(timer_target(TimerKind::kCall, number));
  } else {
    number = free_calls_.back();
    free_calls_.pop_back();
  }
  assert(caller.call == UINT32_MAX);
  caller.call = number;
  const TimerId timer = calls_[number].timer;
  calls_[number] = {session.link,      batch.owner_, slot, 0, static_cast<std::uint32_t>(index),
                    ++caller.sequence, buffer,       timer};
  timers_.arm(timer, retry_list(0), now_ + retry_delay(0));
  ++batch.pending_;
  ++open_calls_;
  return number;
}

void Rpc::close_call(std::uint32_t number, std::span<const std::byte> reply, bool answered) {
  const Call call = calls_[number];
  RpcSession& session = *sessions_[call.link];
  assert(session.caller_slots[call.slot].call == number && open_calls_ > 0);
  session.busy_slots &= ~(std::uint64_t{1} << call.slot);
  session.caller_slots[call.slot].call = UINT32_MAX;
  timers_.disarm(call.timer);
  calls_[number].owner = 0;
  free_calls_.push_back(number);
  --open_calls_;
  settle(call.buffer);
  wake_first(session.slot_waiters);
  if (call.owner == 0) return;
  RpcBatch& batch = *owners_[call.owner];
  if (answered) {
    batch.store_reply(call.index, reply);
    thread_.core().spend(Work::kCopyLine, cache_lines(reply.size()));
  } else {
    batch.missing_ = session.peer;
  }
  assert(batch.pending_ > 0);
  if (--batch.pending_ == 0 && batch.waiter_ != kNoFiber) {
    thread_.make_ready(std::exchange(batch.waiter_, kNoFiber));
  }
}

void Rpc::notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
                 Doorbell doorbell) {
  if (request.size() > max_payload()) throw std::logic_error("notification exceeds max_payload()");
  if (peer == thread_.node()) {
    while (!transport_->can_reserve()) wait_in(memory_waiters_);
    RpcReply reply(*this);
    run_handler({thread_.node(), thread_.id()}, method, request, reply);
    return;
  }
  RpcSession& session = this->session(peers_->connected_place(peer));
  BufferId buffer = kNoBuffer;
  for (;;) {
    if (health_.is_dead(peer)) return;
    const bool room = session.sent_next - session.sent_base < session.notify_window;
    if (room) buffer = take_buffer(request);
    if (buffer != kNoBuffer) break;
    if (!room) thread_.core().reach("rpc: window of notifications to a peer full");
    wait_in(room ? memory_waiters_ : session.window_waiters);
  }
  if (session.window.empty()) {
    session.window.assign(std::bit_ceil(std::uint32_t{session.notify_window}), kNoBuffer);
    session.resend_timer = timers_.create(timer_target(TimerKind::kResend, session.link));
  }
  const std::uint32_t sequence = session.sent_next++;
  write_header(session, buffer, MessageKind::kNotification, method, 0, sequence);
  if (!timers_.armed(session.resend_timer)) {
    session.attempts = 0;
    timers_.arm(session.resend_timer, retry_list(0), now_ + retry_delay(0));
  }
  ++open_notifications_;
  ++counters_.notifications;
  session.window[sequence % session.window.size()] = send_new(session, buffer, doorbell);
}

BufferId Rpc::take_reply_buffer(std::size_t payload_bytes) {
  if (payload_bytes > max_payload()) throw std::logic_error("reply exceeds max_payload()");
  return transport_->reserve(sizeof(MessageHeader) + payload_bytes);
}

void Rpc::give_back(BufferId buffer) { transport_->release(buffer); }

std::span<std::byte> Rpc::payload(BufferId buffer) {
  const Buffer& message = (*transport_)[buffer];
  return {message.address + sizeof(MessageHeader), message.bytes - sizeof(MessageHeader)};
}

}  // namespace verbena::rdma
