// Ways of fibers, and the branches between them.
#include "experiments/paths/path_recorder.h"

#include <infiniband/verbs.h>

#include <algorithm>

namespace verbena::experiments {
namespace {

using rdma::Activity;
using rdma::Notice;
using simnic::CoreMoment;
using simnic::RequestIdentity;
using simnic::Stage;

std::uint64_t queue_pair_of(const RequestIdentity& request) {
  return std::uint64_t{request.from} << 32 | request.queue_pair;
}

bool is_send(const RequestIdentity& request) {
  return request.opcode == IBV_WR_SEND || request.opcode == IBV_WR_SEND_WITH_IMM;
}

}  // namespace

PathRecorder::CoreState& PathRecorder::core_at(const CoreMoment& moment) {
  const auto [known, is_new] = core_numbers_.try_emplace({moment.node, moment.worker},
                                                         static_cast<std::uint32_t>(cores_.size()));
  if (is_new) {
    CoreState& core = cores_.emplace_back();
    core.node = moment.node;
    core.worker = moment.worker;
  }
  CoreState& core = cores_[known->second];
  account(core, moment);
  return core;
}

PathRecorder::FiberState& PathRecorder::fiber_at(CoreState& core, std::uint64_t fiber) {
  if (fiber >= core.fibers.size()) core.fibers.resize(fiber + 1);
  return core.fibers[fiber];
}

// The fiber's, if it runs a transaction.
PathRecorder::FiberState* PathRecorder::running(CoreState& core) {
  if (core.fiber == rdma::kEventLoop) return nullptr;
  FiberState& fiber = fiber_at(core, core.fiber);
  return fiber.active ? &fiber : nullptr;
}

std::uint32_t PathRecorder::number_of(const CoreState& core) const {
  return static_cast<std::uint32_t>(&core - cores_.data());
}

bool PathRecorder::is_current(const Owner& owner) const {
  const FiberState& fiber = cores_[owner.core].fibers[owner.fiber];
  return fiber.active && fiber.serial == owner.serial;
}

Viewpoint PathRecorder::viewpoint(const Owner& owner) const {
  return {cores_[owner.core].node, cores_[owner.core].worker, nics_per_node_};
}

// Branch of what the core's code starts now, owned by the fiber on whose behalf it runs.
std::optional<PathRecorder::Branch> PathRecorder::fork(CoreState& core) {
  if (core.fiber == rdma::kEventLoop) return core.branch;
  const FiberState* fiber = running(core);
  if (fiber == nullptr) return std::nullopt;
  return Branch{{number_of(core), static_cast<std::uint32_t>(core.fiber), fiber->serial},
                Way(core.time)};
}

// The core's clock has gone on, for whom it runs.
void PathRecorder::account(CoreState& core, const CoreMoment& moment) {
  Way* way = nullptr;
  Place place = Place::kOwnCore;
  if (FiberState* fiber = running(core)) {
    way = &fiber->way;
  } else if (core.fiber == rdma::kEventLoop && core.branch) {
    way = &core.branch->way;
    place = viewpoint(core.branch->owner).core(core.node, core.worker);
  }
  if (way != nullptr) {
    for (std::size_t i = 0; i < rdma::kActivities; ++i) {
      const Picoseconds spent = moment.spent[i] - core.spent[i];
      way->go_on(Part::of(place, static_cast<Activity>(i)), way->until() + spent);
    }
    way->go_on(Part::of(place, Delay::kStopped), moment.time);
  }
  core.time = moment.time;
  std::ranges::copy(moment.spent, core.spent.begin());
}

void PathRecorder::noted(const CoreMoment& moment, Notice notice, std::uint64_t what) {
  CoreState& core = core_at(moment);
  switch (notice) {
    case Notice::kGoesOn:
      return go_on_as(core, what);
    case Notice::kReadies:
      return ready(core, what);
    case Notice::kAwake:
      return awake(core, what);
    case Notice::kComposed:
      return composed(core, what);
    case Notice::kRepeated:
      return repeated(core, what);
    case Notice::kMessage:
      return take_up(core, take_arrival(what));
    case Notice::kCompletion:
      return take_up(core, take_polled(core, what));
    case Notice::kFree:
      return free(core);
    case Notice::kBegun:
      return begun(core, Nanoseconds(static_cast<std::int64_t>(what)));
    case Notice::kMeasured:
      if (FiberState* fiber = running(core)) {
        const auto decided = Nanoseconds(static_cast<std::int64_t>(what));
        sums_.add(fiber->way, to_picoseconds(decided));
        fiber->active = false;
        latest_ = std::move(fiber->way);
      }
      return;
    case Notice::kForgotten:
      return sums_.clear();
  }
}

void PathRecorder::go_on_as(CoreState& core, std::uint64_t fiber) {
  core.branch.reset();
  if (core.fiber != rdma::kEventLoop) fiber_at(core, core.fiber).gave_up = core.time;
  core.fiber = fiber;
  if (FiberState* runs = running(core)) {
    const Delay before = runs->ready ? Delay::kReady : Delay::kOthers;
    runs->way.go_on(Part::of(Place::kOwnCore, before), core.time);
    runs->ready = false;
  }
}

void PathRecorder::ready(CoreState& core, std::uint64_t number) {
  FiberState& fiber = fiber_at(core, number);
  if (!fiber.active) return;
  fiber.ready = true;
  if (core.fiber == number) return;  // it gives way
  const Owner owner{number_of(core), static_cast<std::uint32_t>(number), fiber.serial};
  const bool own = core.fiber == rdma::kEventLoop && core.branch && core.branch->owner == owner;
  if (own && core.branch->arrived > fiber.gave_up) {
    fiber.way.take(core.branch->way);
  } else {
    // The fiber did not wait for what was there before it stopped.
    const Delay wait = own ? Delay::kTakenUp : Delay::kOthers;
    fiber.way.go_on(Part::of(Place::kOwnCore, wait), core.time);
  }
}

void PathRecorder::awake(CoreState& core, std::uint64_t number) {
  FiberState& fiber = fiber_at(core, number);
  if (!fiber.active) return;
  fiber.ready = true;
  fiber.way.go_on(Part::of(Place::kOwnCore, Delay::kAsleep), core.time);
}

void PathRecorder::composed(CoreState& core, std::uint64_t address) {
  if (std::optional<Branch> branch = fork(core)) {
    messages_.insert_or_assign(address, *std::move(branch));
  } else {
    messages_.erase(address);
  }
}

void PathRecorder::repeated(const CoreState& core, std::uint64_t address) {
  const auto message = messages_.find(address);
  if (message == messages_.end()) return;
  const Place place = viewpoint(message->second.owner).core(core.node, core.worker);
  message->second.way.go_on(Part::of(place, Delay::kLost), core.time);
}

void PathRecorder::take_up(CoreState& core, std::optional<Branch> branch) {
  if (branch && !is_current(branch->owner)) branch.reset();
  // A fiber that polls itself finds what was there before it stopped.
  if (core.fiber != rdma::kEventLoop) return;
  if (branch) {
    const Place place = viewpoint(branch->owner).core(core.node, core.worker);
    branch->arrived = branch->way.until();
    branch->way.go_on(Part::of(place, Delay::kTakenUp), core.time);
  }
  core.branch = std::move(branch);
}

std::optional<PathRecorder::Branch> PathRecorder::take_polled(CoreState& core,
                                                              std::uint64_t wr_id) {
  const auto found =
      std::ranges::find(core.polled, wr_id, [](const auto& one) { return one.first; });
  if (found == core.polled.end()) return std::nullopt;
  std::optional<Branch> branch = std::move(found->second);
  core.polled.erase(found);
  return branch;
}

std::optional<PathRecorder::Branch> PathRecorder::take_arrival(std::uint64_t address) {
  auto found = arrivals_.extract(address);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

void PathRecorder::free(CoreState& core) {
  if (core.fiber == rdma::kEventLoop) return;
  FiberState& fiber = fiber_at(core, core.fiber);
  fiber.active = false;
  fiber.free = core.time;
}

void PathRecorder::begun(CoreState& core, Nanoseconds start) {
  if (core.fiber == rdma::kEventLoop) return;
  FiberState& fiber = fiber_at(core, core.fiber);
  ++fiber.serial;
  fiber.active = true;
  fiber.ready = false;
  fiber.way = Way(to_picoseconds(start));
  // The part that a clock in nanoseconds cuts off is no waiting.
  const bool late = core.time - to_picoseconds(start) >= to_picoseconds(1_ns);
  if (late) fiber.way.go_on(Part::of(Place::kOwnCore, Delay::kStream), fiber.free);
  fiber.way.go_on(late ? Part::of(Place::kOwnCore, Delay::kReady)
                       : Part::of(Place::kOwnCore, Activity::kTransactions),
                  core.time);
}

void PathRecorder::posts(const CoreMoment& moment, const RequestIdentity& request,
                         std::uint64_t address) {
  CoreState& core = core_at(moment);
  std::optional<Branch> branch;
  const bool may_be_message = request.opcode < IBV_WR_RDMA_READ;
  const auto message = may_be_message ? messages_.find(address) : messages_.end();
  if (message != messages_.end()) {
    branch = message->second;
  } else {
    branch = fork(core);
  }
  if (!branch || !is_current(branch->owner)) return;
  const Place place = viewpoint(branch->owner).core(core.node, core.worker);
  branch->way.go_on(Part::of(place, Delay::kComposed), core.time);
  branch->way.begin_request();
  posting_.push_back({request, *std::move(branch)});
}

void PathRecorder::polls(const CoreMoment& moment, const RequestIdentity& request) {
  CoreState& core = core_at(moment);
  const auto queue = requests_.find(queue_pair_of(request));
  if (queue == requests_.end()) return;
  const auto found = queue->second.find(request.index);
  if (found != queue->second.end() && !found->second.message) {
    core.polled.emplace_back(request.wr_id, std::move(found->second.branch));
  }
  forget_before(queue->second, request.index);
}

// Requests complete in order, and what has completed is not met again, but for datagrams, which may
// still be on their way: for transactions that still run.
void PathRecorder::forget_before(std::map<std::uint32_t, Pending>& requests,
                                 std::uint32_t index) const {
  for (auto one = requests.begin(); one != requests.end() && one->first <= index;) {
    const bool over = !one->second.message || !is_current(one->second.branch.owner);
    one = over ? requests.erase(one) : std::next(one);
  }
}

void PathRecorder::lands(const RequestIdentity& request, std::uint64_t address, Picoseconds time) {
  Pending* pending = find(request);
  if (pending == nullptr) return;
  Branch branch = pending->branch;
  branch.way.go_on(Part::of(viewpoint(branch.owner).nic(request.to), Delay::kLines), time);
  arrivals_.insert_or_assign(address, std::move(branch));
  if (pending->message) requests_[queue_pair_of(request)].erase(request.index);
}

PathRecorder::Pending* PathRecorder::find(const RequestIdentity& request) {
  const auto queue = requests_.find(queue_pair_of(request));
  if (queue == requests_.end()) return nullptr;
  const auto found = queue->second.find(request.index);
  return found == queue->second.end() ? nullptr : &found->second;
}

void PathRecorder::begin(Stage stage, const RequestIdentity& request, Picoseconds time) {
  stage_.begin(stage, time);
  request_of_stage_ = request;
  of_stage_ = nullptr;
  if (stage == Stage::kPoll) return;
  if (stage == Stage::kPost) {
    // Requests that could not be posted are taken out.
    std::erase_if(posting_, [&](const Posting& posting) {
      return queue_pair_of(posting.request) != queue_pair_of(request) ||
             posting.request.index < request.index;
    });
    return;
  }
  Pending* pending = find(request);
  if (pending == nullptr) return;
  // A datagram's sender is told as soon as it has left, which nobody waits for.
  if (stage == Stage::kRespond && !pending->executed && pending->message) return;
  const Viewpoint from = viewpoint(pending->branch.owner);
  Way& way = pending->branch.way;
  if (stage == Stage::kIssue) {
    const Delay before = pending->issued ? Delay::kLost : Delay::kSendQueue;
    way.go_on(Part::of(from.nic(request.from), before), time);
    pending->issued = true;
  } else if (stage == Stage::kExecute) {
    way.go_on(Part::of(Place::kNetwork, Delay::kLate), time);
    pending->executed = true;
  } else if (stage == Stage::kRespond) {
    way.go_on(Part::of(from.nic(request.to), Delay::kLines), time);
  }
  // Not what an earlier try of it still comes to.
  if (way.until() == time) of_stage_ = pending;
}

void PathRecorder::on_core(NodeId node, WorkerId worker) { stage_.on_core(node, worker); }

void PathRecorder::visit(const simnic::Visit& visit) { stage_.visit(visit); }

void PathRecorder::end(Picoseconds wait, Picoseconds ready, Picoseconds time) {
  if (stage_.stage() == Stage::kPost) return end_post(wait, time);
  if (of_stage_ == nullptr) return;
  Branch& branch = of_stage_->branch;
  const Branch* held_up_by = time > ready ? earlier(branch.owner, time) : nullptr;
  if (held_up_by != nullptr) {
    branch.way = held_up_by->way;
  } else {
    const bool responder = stage_.stage() == Stage::kExecute;
    stage_.append_to(branch.way, viewpoint(branch.owner),
                     responder ? request_of_stage_.to : request_of_stage_.from, wait, time);
  }
  of_stage_ = nullptr;
}

// A request of the same transaction, posted earlier to the queue pair of the stage, which the one
// of the stage must not overtake: that was what took so long.
const PathRecorder::Branch* PathRecorder::earlier(const Owner& owner, Picoseconds time) const {
  const auto queue = requests_.find(queue_pair_of(request_of_stage_));
  for (auto one = queue->second.find(request_of_stage_.index); one != queue->second.begin();) {
    const Branch& branch = (--one)->second.branch;
    if (branch.owner == owner && branch.way.until() == time) return &branch;
  }
  return nullptr;
}

void PathRecorder::end_post(Picoseconds wait, Picoseconds time) {
  for (Posting& posting : posting_) {
    Branch& branch = posting.branch;
    stage_.append_to(branch.way, viewpoint(branch.owner), posting.request.from, wait, time);
    requests_[queue_pair_of(posting.request)].insert_or_assign(
        posting.request.index,
        Pending{.branch = std::move(branch), .message = is_send(posting.request)});
  }
  posting_.clear();
}

}  // namespace verbena::experiments
