// Idling, waking and preemption of a core.
#include "simnic/engine/sim_core.h"

#include <algorithm>
#include <utility>

#include "rdma/seam/shared_line.h"
#include "simnic/engine/mix_seed.h"
#include "simnic/engine/timeline.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

SimCore::SimCore(Timeline& timeline, const CpuProfile& cpu, std::uint32_t number,
                 rdma::CoreTask task, Stack stack)
    : Core(cpu.work),
      timeline_(timeline),
      cpu_(cpu),
      number_(number),
      socket_(socket_of(task.worker)),
      random_(mix_seed(mix_seed(timeline.conditions().seed, 1 + task.node), task.worker)),
      task_(std::move(task)) {
  fiber_.start(
      [this] {
        try {
          task_.body(*this);
        } catch (const RunEnded&) {
          // The run's own end: what caused it is known elsewhere.
        } catch (...) {
          exception_ = std::current_exception();
        }
        state_ = State::kFinished;
      },
      stack);
  local_time_ = timeline.now();
  state_ = State::kReady;
  const Timeline::Conditions& conditions = timeline.conditions();
  followed_ = conditions.observer != nullptr;
  preemptible_ =
      conditions.chaos && (conditions.fabric.chaos_preempt > 0 || conditions.fabric.chaos_meet > 0);
}

std::uint32_t SimCore::socket_of(std::uint32_t worker) const {
  return static_cast<std::uint32_t>(worker / cpu_.cores_per_socket) % kSockets;
}

void SimCore::share_core() {
  const std::int64_t percent = cpu_.smt_slowdown_percent;
  slowdown_ = ((percent << kSlowdownBits) + 99) / 100;
  for (Picoseconds& cost : costs_) cost = cost * percent / 100;
}

void SimCore::polls(const PolledQueue& queue, std::uint32_t completions, Picoseconds now) {
  polled_.push_back(&queue);
  pending_ += completions;
  pending_time_ -= now * completions;
}

void SimCore::polls_no_more(const PolledQueue& queue, std::uint32_t completions, Picoseconds now) {
  std::erase(polled_, &queue);
  remove_pending(completions, now);
}

Picoseconds SimCore::next_seen() const {
  Picoseconds next = kNeverPs;
  for (const PolledQueue* queue : polled_) next = std::min(next, queue->next_seen);
  return next;
}

void SimCore::completion_comes(Picoseconds seen, Picoseconds now) {
  if (seen <= now) return end_rest();
  if (seen < timer_) set_timer(seen);
}

bool SimCore::has_reason_to_run(Picoseconds time) const {
  return wake_ || time >= deadline_ || next_seen() <= time;
}

void SimCore::idle(Nanoseconds deadline) {
  if (ended_) throw RunEnded();
  deadline_ = deadline >= to_nanoseconds(kNeverPs) ? kNeverPs : to_picoseconds(deadline);
  // An event loop that never polls what is pending must not stop time.
  if (local_time_ == resumed_at_)
    charge(cpu_.poll_empty + Picoseconds(1), rdma::Activity::kEmptyPolls);
  // Nobody needs to hear that the engine has reached a core that has nothing to do there.
  if (has_reason_to_run(local_time_)) {
    catch_up_as(State::kCatchingUp);
  } else {
    rest();
  }
  leave();
  wake_ = false;
}

// While the core is unwound it comes to no point.
void SimCore::die(const rdma::CrashPoint& crash) {
  if (timeline_.current() != this || ended_) return;
  timeline_.host().crash(to_picoseconds(crash.late));
  leave();
}

void SimCore::noted(rdma::Notice notice, std::uint64_t what) {
  timeline_.conditions().observer->noted(moment(), notice, what);
}

void SimCore::preempt() {
  if (!random_.chance(timeline_.conditions().fabric.chaos_preempt) || timeline_.current() != this ||
      ended_)
    return;
  catch_up_as(State::kPreempted);
  leave();
}

void SimCore::interrupt(const void* at) {
  const FabricProfile& fabric = timeline_.conditions().fabric;
  const bool comes = random_.chance(fabric.chaos_preempt);
  if (timeline_.current() != this || ended_) return;
  const auto longest = static_cast<std::uint32_t>(fabric.chaos_interrupt.count());
  if (comes) let_pass(Picoseconds(1 + random_.below(longest)));
  if (at == nullptr || fabric.chaos_meet == 0) return;
  timeline_.meetings().note_access(at);
  if (random_.chance(fabric.chaos_meet)) wait_for_others(at);
}

void SimCore::wait_for_others(const void* at) {
  const Meetings& meetings = timeline_.meetings();
  const Appointment appointment = meetings.draw(at, random_);
  const Picoseconds end = local_time_ + timeline_.conditions().fabric.chaos_interrupt;
  while (!meetings.kept(appointment) && local_time_ < end) {
    let_pass(Meetings::draw_look(random_));
  }
}

// For the core's code, which stands still; others go on.
void SimCore::let_pass(Picoseconds time) {
  charge(time, rdma::Activity::kTransactions);
  catch_up_as(State::kPreempted);
  leave();
}

void SimCore::give_way() {
  if (timeline_.current() != this || ended_) return;
  let_pass(cpu_.poll_empty + Picoseconds(1));
}

Picoseconds SimCore::transfer_from(std::uint32_t worker) const {
  return socket_of(worker) == socket_ ? cpu_.line_transfer : cpu_.far_line_transfer;
}

// Turns are taken in the order in which cores come, so others go on until this one has come, and
// then until its turn is over: what it does with the line is done then.
void SimCore::change(rdma::SharedLine& line, std::uint32_t lines) {
  if (timeline_.current() != this || ended_) return;
  catch_up();
  if (line.last != worker() && line.last != rdma::SharedLine::kNobody) {
    const Picoseconds begins = std::max(local_time_, line.free_at);
    line.free_at = begins + transfer_from(line.last) * lines;
    pass(line.free_at - local_time_, rdma::Activity::kSharing);
    line.last = worker();
    return catch_up();
  }
  line.last = worker();
}

void SimCore::look(const rdma::SharedLine& line) {
  if (line.last == worker() || line.last == rdma::SharedLine::kNobody) return;
  pass(transfer_from(line.last), rdma::Activity::kSharing);
}

void SimCore::catch_up() {
  if (local_time_ <= timeline_.now() || ended_) return;
  catch_up_as(State::kPreempted);
  leave();
}

void SimCore::catch_up_as(State state) {
  state_ = state;
  timeline_.schedule(local_time_, EventKind::kCoreCaughtUp, number_, 0);
}

void SimCore::rest() {
  state_ = State::kIdle;
  const Picoseconds next = std::min(deadline_, next_seen());
  if (next < timer_) set_timer(next);
}

void SimCore::set_timer(Picoseconds time) {
  timer_ = time;
  timeline_.schedule(timer_, EventKind::kCoreTimer, number_, 0);
}

void SimCore::leave() {
  fiber_.leave();
  if (ended_) throw RunEnded();
}

void SimCore::wake() {
  const SimCore* caller = timeline_.current();
  timeline_.schedule(caller != nullptr ? caller->local() : timeline_.now(), EventKind::kCoreWake,
                     number_, 0);
}

void SimCore::watch(const ibv_mr& memory) { timeline_.host().watch(memory, *this); }

void SimCore::resume() {
  wait_until(timeline_.now());
  resumed_at_ = local_time_;
  state_ = State::kRunning;
  timeline_.set_current(this);
  fiber_.enter();
  timeline_.set_current(nullptr);
  if (Observer* observer = timeline_.conditions().observer) {
    observer->core_ran(task_.node, task_.worker, resumed_at_, local_time_);
  }
}

rdma::CoreUse SimCore::use(Picoseconds now) const {
  return {.node = task_.node,
          .worker = task_.worker,
          .clock = std::max(now, local_time_),
          .spent = spent_,
          .waited = std::max(pending_time_ + now * pending_, Picoseconds(0))};
}

void SimCore::end_rest() {
  if (local_time_ > timeline_.now()) return catch_up_as(State::kCatchingUp);
  make_ready();
}

void SimCore::make_ready() {
  state_ = State::kReady;
  timeline_.make_ready(*this);
}

void SimCore::caught_up() {
  if (state_ == State::kPreempted) return make_ready();
  if (state_ != State::kCatchingUp) return;
  if (has_reason_to_run(timeline_.now())) return make_ready();
  rest();
}

void SimCore::timer_fired(Picoseconds time) {
  if (time != timer_) return;  // an earlier one took its place
  timer_ = kNeverPs;
  if (state_ != State::kIdle) return;
  if (has_reason_to_run(time)) return end_rest();
  rest();
}

void SimCore::woken() {
  if (state_ == State::kFinished || stopped()) return;
  wake_ = true;
  if (state_ == State::kIdle) end_rest();
}

void SimCore::end() {
  // A body that swallows the exception and idles again is told again, but not for ever.
  constexpr int kPatience = 1000;
  ended_ = true;
  tell_points(nullptr);
  crash_at(nullptr);
  for (int i = 0; i < kPatience && state_ != State::kFinished; ++i) resume();
}

}  // namespace verbena::simnic
