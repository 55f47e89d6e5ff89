// Where calls and notifications begin, and what is due.
#include "rdma/rpc/rpc.h"

#include <stdexcept>
#include <string>

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
    : rpc_(context),
      sessions_(rpc_, *context.options.links),
      sender_(rpc_, sessions_),
      calls_(rpc_, sessions_, sender_),
      notifications_(rpc_, sender_),
      notify_window_(context.options.notify_window(
          context.options.links->links(rpc_.thread.node(), rpc_.thread.id()))) {}

WorkerCounters Rpc::counters() const {
  WorkerCounters all = rpc_.counters;
  all += rpc_.transport->counters;
  return all;
}

// The one place that says what becomes of requests that no peer sends.
void Rpc::run_handler(const RpcCaller& caller, RpcMethod method, std::span<const std::byte> request,
                      RpcReply& reply) {
  try {
    if (method >= handlers_.size() || !handlers_[method]) [[unlikely]]
      throw Malformed("is served by nobody");
    handlers_[method](caller, request, reply);
  } catch (const Malformed& wrong) {
    throw PeerError("request of " + rpc_.health.describe(caller.node) + " (worker " +
                    std::to_string(caller.worker) + ") by method " + std::to_string(method) + ": " +
                    wrong.what());
  }
}

void Rpc::post(RpcBatch& batch, Doorbell doorbell) {
  while (batch.posted_ < batch.calls_.size()) {
    const std::size_t index = batch.posted_;
    if (batch.calls_[index].peer == rpc_.thread.node()) {
      call_local(batch, index);
    } else {
      calls_.send(batch, index, doorbell);
    }
    ++batch.posted_;
  }
  if (rpc_.options.flush == MessageFlush::kAtOnce) sender_.post_outgoing(SIZE_MAX);
}

void Rpc::call_local(RpcBatch& batch, std::size_t index) {
  while (!rpc_.transport->can_reserve()) rpc_.wait_in(rpc_.memory_waiters);
  RpcBatch::Call& call = batch.calls_[index];
  RpcReply reply(*this);
  run_handler({rpc_.thread.node(), rpc_.thread.id()}, call.method,
              std::span(batch.requests_).subspan(call.request_at, call.request_bytes), reply);
  const bool empty = reply.buffer_ == kNoBuffer;
  batch.store_reply(index, empty ? std::span<const std::byte>{} : payload(reply.buffer_));
}

void Rpc::notify(NodeId peer, RpcMethod method, std::span<const std::byte> request,
                 Doorbell doorbell) {
  if (request.size() > max_payload()) throw std::logic_error("notification exceeds max_payload()");
  if (peer == rpc_.thread.node()) {
    while (!rpc_.transport->can_reserve()) rpc_.wait_in(rpc_.memory_waiters);
    RpcReply reply(*this);
    run_handler({rpc_.thread.node(), rpc_.thread.id()}, method, request, reply);
    return;
  }
  notifications_.send(sessions_.to(peer), method, request, doorbell);
}

BufferId Rpc::take_reply_buffer(std::size_t payload_bytes) const {
  if (payload_bytes > max_payload()) throw std::logic_error("reply exceeds max_payload()");
  return rpc_.transport->reserve(sizeof(MessageHeader) + payload_bytes);
}

void Rpc::give_back(BufferId buffer) const { rpc_.transport->release(buffer); }

std::span<std::byte> Rpc::payload(BufferId buffer) const {
  const Buffer& message = (*rpc_.transport)[buffer];
  return {message.address + sizeof(MessageHeader), message.bytes - sizeof(MessageHeader)};
}

void Rpc::tick(Nanoseconds now) {
  rpc_.now = now;
  if (rpc_.transport->has_unreachable()) drop_unreachable();
  for (TimerId timer = rpc_.timers.take_due(now); timer != kNoTimer;
       timer = rpc_.timers.take_due(now)) {
    const std::uint32_t target = rpc_.timers.target(timer);
    const std::uint32_t number = timer_number(target);
    switch (timer_kind(target)) {
      case TimerKind::kCall:
        calls_.repeat(number);
        break;
      case TimerKind::kResend:
        notifications_.repeat(sessions_.opened(number));
        break;
      case TimerKind::kAck:
        sender_.acknowledge_now(sessions_.opened(number));
        break;
    }
  }
}

void Rpc::flush() {
  sender_.flush();
  if (!rpc_.memory_waiters.empty() && rpc_.transport->gave_back()) {
    rpc_.wake_all(rpc_.memory_waiters);
  }
}

// Calls fail now, as they would when patience ends; until then a peer whose notifications are not
// acknowledged may be declared dead.
void Rpc::drop_unreachable() {
  for (const std::uint16_t link : rpc_.transport->take_unreachable()) {
    RpcSession& failed = sessions_.of_link(link);
    failed.unreachable = true;
    calls_.drop([&failed](const RpcSession& session) { return &session == &failed; });
    calls_.wake_waiters(failed);
  }
}

void Rpc::drop_dead() {
  calls_.drop([this](const RpcSession& session) { return rpc_.health.is_dead(session.peer); });
  for (RpcSession* session : sessions_.all()) {
    if (session != nullptr && rpc_.health.is_dead(session->peer)) {
      notifications_.drop(*session);
      calls_.wake_waiters(*session);
    }
  }
  rpc_.wake_all(rpc_.memory_waiters);
}

}  // namespace verbena::rdma
