// One message after the other.
#include "rdma/prism/passive_lane.h"

#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/message_io.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/prism/request_message.h"

namespace verbena::rdma {
namespace {

void expect_done(std::span<const std::byte> reply) {
  MessageReader reader(reply);
  if (reader.take<RequestStatus>() != RequestStatus::kDone) throw Malformed("says it was not done");
}

}  // namespace

void PassiveLane::hold() {
  if (!held_) {
    held_ = true;
    return;
  }
  waiters_.push_back(rpc_.thread().current_fiber());
  rpc_.thread().suspend();
}

// The first who waits has it from now on, before anybody else comes.
void PassiveLane::release() {
  held_ = !waiters_.empty();
  if (!held_) return;
  const FiberId first = waiters_.front();
  waiters_.erase(waiters_.begin());
  rpc_.thread().make_ready(first);
}

// A fiber that is unwound with its worker leaves the lane held: nobody comes after it.
template <typename Action>
void PassiveLane::holding(Action&& action) {
  hold();
  try {
    if (!failure_.empty()) throw PeerMissing(failure_);
    action();
  } catch (const std::exception&) {
    release();
    throw;
  }
  release();
}

void PassiveLane::await_last() {
  try {
    call_.wait();
  } catch (const PeerMissing& missing) {
    failure_ = missing.what();
    call_.clear();
    throw;
  }
  if (call_.size() > 0) call_.take(0, expect_done);
  call_.clear();
}

void PassiveLane::send(std::span<const std::byte> message, Doorbell doorbell) {
  const std::vector<std::byte> kept(message.begin(), message.end());
  holding([&] {
    await_last();
    call_.add(server_, kCarryOutRequests, kept);
    try {
      call_.post(doorbell);
    } catch (const std::exception& failed) {
      failure_ = failed.what();
      call_.clear();
      throw;
    }
    ++sent_;
  });
}

void PassiveLane::settle() {
  holding([&] { await_last(); });
}

void PassiveLane::check() {
  if (!rpc_.health().is_dead(server_)) await_last();
}

}  // namespace verbena::rdma
