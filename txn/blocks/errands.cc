// Queues, and the fibers that empty them.
#include "txn/blocks/errands.h"

#include <algorithm>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "txn/prism/deaths/deaths.h"

namespace verbena::txn::blocks {
namespace {

/// The longest time between two looks at the errands of a worker.
constexpr Nanoseconds kPause = 100 * kMicrosecond;

/// The longest time for which a replica that does not answer makes others wait.
constexpr Nanoseconds kMostPatience = 6 * kMillisecond;

/// Between two looks of a client whether a slow replica has got on.
constexpr Nanoseconds kRoomPause = 5 * kMicrosecond;

bool dropped(const Errand& errand) { return !errand.lasting && errand.phase->over(); }

}  // namespace

Errands::Errands(rdma::Worker& worker, NodeId replica, std::uint32_t place, prism::Deaths& deaths,
                 Nanoseconds silent_after)
    : worker_(worker),
      replica_(replica),
      place_(place),
      deaths_(deaths),
      silent_after_(silent_after) {}

void Errands::add(Errand errand) {
  errand.phase->ask(place_);
  if (lost()) return errand.phase->miss(place_);
  std::erase_if(queue_, dropped);
  if (errand.lasting && errand.block && queue_.size() >= kMostQueued) {
    worker_.core().reach("blocks: write to a silent replica put off");
    postponed_.insert_or_assign(*errand.block, std::move(errand));
  } else {
    queue_.push_back(std::move(errand));
  }
  wake();
}

bool Errands::lost() const { return lost_ || worker_.endpoint().is_dead(replica_); }

void Errands::wait_for_room() {
  const auto has_room = [this] { return queue_.size() + postponed_.size() < kMostQueued; };
  while (!has_room() && !lost() && worker_.now() - busy_since_ < silent_after_) {
    worker_.core().reach("blocks: client waits for a slow replica");
    worker_.sleep_until(worker_.now() + kRoomPause);
  }
}

void Errands::wake() {
  if (sleeper_ != rdma::kNoFiber) {
    worker_.make_ready(std::exchange(sleeper_, rdma::kNoFiber));
  }
}

void Errands::close() {
  closed_ = true;
  wake();
}

std::optional<Errand> Errands::take() {
  while (!queue_.empty()) {
    Errand next = std::move(queue_.front());
    queue_.pop_front();
    if (!dropped(next)) return next;
    worker_.core().reach("blocks: errand of a phase that is over left out");
  }
  if (postponed_.empty()) return std::nullopt;
  return std::move(postponed_.extract(postponed_.begin()).mapped());
}

// A phase whose replica answered, and died before all was done that the answer takes, is not told
// of the death.
void Errands::carry_out(Errand& errand) {
  if (!lost()) {
    busy_since_ = worker_.now();
    try {
      errand.carry_out();
    } catch (const PeerMissing&) {
      lost_ = true;
    } catch (const VerbsError&) {
      if (!worker_.endpoint().is_dead(replica_)) throw;
      lost_ = true;
    }
    if (lost_) deaths_.declare(worker_, replica_);
    busy_since_ = kNever;
  }
  errand.phase->miss(place_);
}

void Errands::run() {
  for (;;) {
    if (auto next = take()) {
      busy_ = true;
      carry_out(*next);
      busy_ = false;
      continue;
    }
    if (closed_) break;
    sleeper_ = worker_.current_fiber();
    worker_.suspend();
  }
  ended_ = true;
}

WorkerErrands::WorkerErrands(rdma::Worker& worker, const std::vector<NodeId>& replicas,
                             std::uint32_t fibers, prism::Deaths& deaths, Nanoseconds suspect_after)
    : worker_(worker), deaths_(deaths), suspect_after_(suspect_after), errands_(fibers) {
  for (auto& of_fiber : errands_) {
    for (std::uint32_t place = 0; place < replicas.size(); ++place) {
      of_fiber.push_back(std::make_shared<Errands>(worker, replicas[place], place, deaths,
                                                   std::min(suspect_after / 16, kMostPatience)));
    }
  }
}

WorkerErrands::~WorkerErrands() {
  for_each([](Errands& one) { one.drop(); });
}

template <typename Visit>
void WorkerErrands::for_each(Visit&& visit) const {
  for (const auto& of_fiber : errands_) {
    for (const auto& one : of_fiber) visit(*one);
  }
}

bool WorkerErrands::idle() const {
  bool all = true;
  for_each([&](const Errands& one) { all &= one.idle(); });
  return all;
}

bool WorkerErrands::ended() const {
  bool all = true;
  for_each([&](const Errands& one) { all &= one.ended(); });
  return all;
}

std::vector<std::function<void()>> WorkerErrands::background() {
  std::vector<std::function<void()>> bodies;
  for (const auto& of_fiber : errands_) {
    for (const auto& one : of_fiber) bodies.emplace_back([one] { one->run(); });
  }
  bodies.emplace_back([this] { look_after(); });
  return bodies;
}

// Waits for nobody, or the dead would not be found.
void WorkerErrands::look_after() {
  const Nanoseconds pause = std::clamp(suspect_after_ / 8, 1_ns, kPause);
  Nanoseconds last_look = worker_.now();
  while (!worker_.over() || !idle()) {
    worker_.sleep_until(worker_.now() + pause);
    const Nanoseconds now = worker_.now();
    // A worker that has stood still has not looked at what others have answered.
    if (now - std::exchange(last_look, now) > suspect_after_ / 4) {
      for_each([](Errands& one) { one.progress(); });
      continue;
    }
    std::vector<NodeId> silent;
    for_each([&](const Errands& one) {
      if (now - one.busy_since() > suspect_after_) silent.push_back(one.replica());
    });
    for (const NodeId replica : silent) {
      worker_.core().reach("blocks: replica is silent for too long");
      deaths_.declare(worker_, replica);
    }
  }
  for_each([](Errands& one) { one.close(); });
}

}  // namespace verbena::txn::blocks
