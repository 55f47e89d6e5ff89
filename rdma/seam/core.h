// One CPU core as a worker sees it: a clock, a place to account for work, and a way to idle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rdma/base/reached_points.h"
#include "rdma/base/time.h"
#include "rdma/seam/crash_point.h"
#include "rdma/seam/notice.h"
#include "rdma/seam/work.h"

struct ibv_mr;

namespace verbena::rdma {

struct SharedLine;

/// The core that one worker owns. Worker-local: only the code that runs on the core calls it.
///
/// Code between two interactions with the fabric is one segment. In a simulation it takes effect at
/// the instant at which it starts; `spend` moves the core's local clock ahead, and posted requests
/// leave at that local clock. On hardware `spend` adds zero to an unused counter, and `idle`
/// returns at once.
class Core {
 public:
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  virtual ~Core() = default;

  /// Returns the core's local time, which never goes back.
  virtual Nanoseconds now() const = 0;

  /// Accounts for `units` of `work`. In chaos mode other cores may run before it returns, so the
  /// caller must not keep data half-changed across it that others may see only whole.
  void spend(Work work, std::uint32_t units = 1) {
    pass(costs_[static_cast<std::size_t>(work)] * units, activity_of(work));
    if (preemptible_) preempt();
  }

  /// Marks a place between two loads or stores that others may see apart; `at` is where their
  /// memory begins, if known. In chaos mode an interrupt may come here: time passes, and NICs and
  /// other cores go on, maybe until they have accessed the same memory.
  void step(const void* at = nullptr) {
    if (preemptible_) [[unlikely]]
      interrupt(at);
  }

  /// Lets others go on. Called now and then while another core is in the way and will soon not be.
  virtual void give_way() = 0;

  /// Accounts for changing `line`, with `lines` - 1 others that come with it. While another core
  /// has it and others wait for it, this core waits for its turn; others may run before it returns.
  virtual void change(SharedLine& /*line*/, std::uint32_t /*lines*/) {}

  /// Accounts for reading `line`, which another core has changed since this one read it.
  virtual void look(const SharedLine& /*line*/) {}

  /// Tells that the code is at `point`, a literal that hunts should reach now and then.
  void reach(std::string_view point) {
    if (watched_) [[unlikely]]
      come_to(point);
  }

  /// Sets the collector of reached points, which must outlive its use; null for none.
  void tell_points(ReachedPoints* reached) {
    reached_ = reached;
    watched_ = reached_ != nullptr || crash_ != nullptr;
  }

  /// Makes the core's node die at `crash`, which must outlive the core's run; null for never.
  void crash_at(CrashPoint* crash) {
    crash_ = crash;
    watched_ = reached_ != nullptr || crash_ != nullptr;
  }

  /// Tells observers that follow transactions; they exist only in simulations, on request.
  void note(Notice notice, std::uint64_t what) {
    if (followed_) [[unlikely]]
      noted(notice, what);
  }

  /// Called by an event loop each time around, after polling found nothing more to do. In a
  /// simulation it lets the engine catch up with the local clock, then sleeps until a completion is
  /// pending in a completion queue that this core polls, another core has called `wake` on this
  /// one, or `deadline` has come; it returns at once when that is so already. On hardware it pauses
  /// and returns. Spurious returns are allowed.
  virtual void idle(Nanoseconds deadline) = 0;

  /// Makes NICs' writes into `memory`, which the core's code polls, end `idle` as completions do.
  /// On hardware idle does not sleep.
  virtual void watch(const ibv_mr& /*memory*/) {}

  /// Makes this core's current or next `idle` return soon. The only member that another core may
  /// call, until Fabric::run returns.
  virtual void wake() = 0;

 protected:
  explicit Core(const WorkCosts& costs) : costs_(costs) {}

  /// Called by `spend` when `preemptible_` is set.
  virtual void preempt() {}

  /// Called by `step` when `preemptible_` is set.
  virtual void interrupt(const void* /*at*/) {}

  /// Called by `reach` where the node must die; does not return.
  virtual void die(const CrashPoint& crash);

  /// Called by `note` when `followed_` is set.
  virtual void noted(Notice /*notice*/, std::uint64_t /*what*/) {}

  /// Accounts for `time` of `activity`.
  void pass(Picoseconds time, Activity activity) {
    local_time_ += time;
    spent_[static_cast<std::size_t>(activity)] += time;
  }

  WorkCosts costs_;
  Picoseconds local_time_ = 0;
  std::array<Picoseconds, kActivities> spent_{};
  bool preemptible_ = false;
  bool followed_ = false;
  bool watched_ = false;
  ReachedPoints* reached_ = nullptr;
  CrashPoint* crash_ = nullptr;

 private:
  void come_to(std::string_view point);
};

/// Calls Core::step of `core`; does nothing when it is null, since nothing else is running then.
inline void step(Core* core, const void* at) {
  if (core != nullptr) core->step(at);
}

/// Calls Core::reach likewise.
inline void reach(Core* core, std::string_view point) {
  if (core != nullptr) core->reach(point);
}

}  // namespace verbena::rdma
