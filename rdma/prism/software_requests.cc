// Calls of a batch: sending, results, and what came too early.
#include "rdma/prism/software_requests.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/errors.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/prism/software_path.h"

namespace verbena::rdma {
namespace {

// False: it came too early.
bool take_reply(std::span<const std::byte> reply, std::span<const ReplyPart> parts) {
  MessageReader reader(reply);
  const auto status = reader.take<RequestStatus>();
  if (status == RequestStatus::kOvertook) return false;
  if (status != RequestStatus::kDone) throw Malformed("has an unknown status");
  for (const ReplyPart& part : parts) {
    const std::span<const std::byte> bytes =
        reader.take_bytes(whole_words(part.bytes)).first(part.bytes);
    std::copy(bytes.begin(), bytes.end(), part.to);
  }
  reader.expect_end();
  return true;
}

}  // namespace

SoftwareRequests::SoftwareRequests(SoftwarePath& path) : path_(path), calls_(path.rpc()) {}

void SoftwareRequests::post(std::span<const OneSidedRequest> requests,
                            std::span<const OneSidedChain> chains, Doorbell doorbell) {
  if (broken_ || (path_.ordered() && in_flight_to_one_of(chains))) wait();
  cutters_.clear();
  for (const OneSidedChain& chain : chains) {
    cutters_.emplace_back(requests, chain, path_.peers(), path_.rpc().max_payload());
  }
  for (bool more = !chains.empty(); more;) {
    more = false;
    for (RequestCutter& cutter : cutters_) {
      if (cutter.done()) continue;
      const std::size_t first_part = parts_.size();
      cutter.cut({.behind = path_.behind(cutter.place()), .passive = 0}, message_, parts_);
      sent_.push_back({cutter.place(), static_cast<std::uint32_t>(first_part)});
      calls_.add(path_.server(cutter.place()), kCarryOutRequests, message_);
      more |= !cutter.done();
    }
    post_calls(doorbell);
    if (more) {
      path_.rpc().thread().core().reach("prism: requests to a server in several messages");
      wait();
    }
  }
}

void SoftwareRequests::post_calls(Doorbell doorbell) {
  try {
    calls_.post(doorbell);
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void SoftwareRequests::post_passive(std::span<const OneSidedRequest> requests,
                                    std::span<const OneSidedChain> chains, Doorbell doorbell) {
  if (path_.ordered() && in_flight_to_one_of(chains)) wait();
  for (const OneSidedChain& chain : chains) {
    RequestCutter cutter(requests, chain, path_.peers(), path_.rpc().max_payload());
    std::vector<ReplyPart> nobody_wants;
    while (!cutter.done()) {
      cutter.cut({.behind = 0, .passive = 1}, message_, nobody_wants);
      path_.lane(chain.place).send(message_, doorbell);
    }
  }
}

bool SoftwareRequests::in_flight_to_one_of(std::span<const OneSidedChain> chains) const {
  return std::ranges::any_of(sent_, [&](const Sent& sent) {
    return std::ranges::any_of(
        chains, [&](const OneSidedChain& chain) { return chain.place == sent.place; });
  });
}

void SoftwareRequests::forget() {
  calls_.clear();
  sent_.clear();
  parts_.clear();
  broken_ = false;
}

// Lets others have their turn where only the own node is asked, as it is where a NIC does it.
void SoftwareRequests::give_way_if_own() {
  WorkerThread& thread = path_.rpc().thread();
  const auto own = [&](const Sent& sent) { return path_.server(sent.place) == thread.node(); };
  if (sent_.empty() || !std::ranges::all_of(sent_, own)) return;
  thread.make_ready(thread.current_fiber());
  thread.suspend();
}

void SoftwareRequests::wait() {
  give_way_if_own();
  for (;;) {
    try {
      calls_.wait();
    } catch (const PeerMissing&) {
      forget();
      throw;
    }
    if (broken_) {
      forget();
      throw PeerMissing("requests to several servers were not all sent, since one has failed");
    }
    const std::vector<Overtaken> overtaken = take_replies();
    forget();
    if (overtaken.empty()) return;
    send_again(overtaken);
  }
}

std::span<const ReplyPart> SoftwareRequests::parts_of(std::size_t call) const {
  const std::size_t first = sent_[call].first_part;
  const std::size_t end = call + 1 < sent_.size() ? sent_[call + 1].first_part : parts_.size();
  return std::span(parts_).subspan(first, end - first);
}

std::vector<SoftwareRequests::Overtaken> SoftwareRequests::take_replies() {
  std::vector<Overtaken> overtaken;
  for (std::size_t call = 0; call < sent_.size(); ++call) {
    const std::span<const ReplyPart> parts = parts_of(call);
    const bool done = calls_.take(
        call, [&](std::span<const std::byte> reply) { return take_reply(reply, parts); });
    if (done) continue;
    const std::span<const std::byte> message = calls_.request(call);
    overtaken.push_back({.place = sent_[call].place,
                         .message = {message.begin(), message.end()},
                         .parts = {parts.begin(), parts.end()}});
  }
  return overtaken;
}

// Passive messages before them have been answered by then, so that they are not too early again.
void SoftwareRequests::send_again(const std::vector<Overtaken>& overtaken) {
  for (const Overtaken& one : overtaken) path_.lane(one.place).settle();
  for (const Overtaken& one : overtaken) {
    sent_.push_back({one.place, static_cast<std::uint32_t>(parts_.size())});
    parts_.insert(parts_.end(), one.parts.begin(), one.parts.end());
    calls_.add(path_.server(one.place), kCarryOutRequests, one.message);
  }
  post_calls(Doorbell::kBatched);
}

}  // namespace verbena::rdma
