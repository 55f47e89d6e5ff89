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
/// Code between two interactions with the fabric is one segment: under simulation it takes effect
/// at the instant at which it starts, while `spend` moves the core's local clock ahead and posted
/// requests leave at that local clock. On hardware `spend` adds zero to an unused counter and
/// `idle` returns at once.
class Core {
 public:
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  virtual ~Core() = default;

  /// The core's local time. Never goes back.
  virtual Nanoseconds now() const = 0;

  /// Accounts for `units` of `work`. In chaos mode it may let other cores run before it returns, so
  /// the caller must not hold something half-changed across it that another core may see only
  /// whole.
  void spend(Work work, std::uint32_t units = 1) {
    pass(costs_[static_cast<std::size_t>(work)] * units, activity_of(work));
    if (preemptible_) preempt();
  }

  /// To be called between two stores or loads of memory that others may see apart, of what begins
  /// `at` (if it is known where). In chaos mode an interrupt may come here: time passes, and NICs
  /// and other cores go on, maybe until they have accessed the same.
  void step(const void* at = nullptr) {
    if (preemptible_) [[unlikely]]
      interrupt(at);
  }

  /// To be called now and then while another core is in the way, which will soon not be: others go
  /// on.
  virtual void give_way() = 0;

  /// Accounts for changing `line`, with `lines` - 1 others that come with it: when another core has
  /// it, and others wait for it, this one waits for its turn. Others may run before it returns.
  virtual void change(SharedLine& /*line*/, std::uint32_t /*lines*/) {}

  /// Accounts for reading `line`, which another core has changed since this one read it.
  virtual void look(const SharedLine& /*line*/) {}

  /// The code is at `point`, a literal, which hunts want to be reached now and then.
  void reach(std::string_view point) {
    if (watched_) [[unlikely]]
      come_to(point);
  }

  /// Where points are told from now on, which must outlive that; null: nowhere.
  void tell_points(ReachedPoints* reached) {
    reached_ = reached;
    watched_ = reached_ != nullptr || crash_ != nullptr;
  }

  /// The core's node dies at `crash`, which must outlive the core's run; null: it does not.
  void crash_at(CrashPoint* crash) {
    crash_ = crash;
    watched_ = reached_ != nullptr || crash_ != nullptr;
  }

  /// Tells whoever follows transactions; nobody does but under simulation, and there on request.
  void note(Notice notice, std::uint64_t what) {
    if (followed_) [[unlikely]]
      noted(notice, what);
  }

  /// To be called by an event loop each time around, after polling found nothing more to do now.
  /// Under simulation it lets the engine catch up with the local clock, then sleeps until a
  /// completion is pending in a completion queue that this core polls, another core called `wake`
  /// on this one, or `deadline` has come; it returns at once when such a thing is already there. On
  /// hardware: a pause, then return. Spurious returns are allowed.
  virtual void idle(Nanoseconds deadline) = 0;

  /// The core's code looks for what NICs write into `memory`: such a write ends `idle`, as a
  /// completion does. On hardware idle does not sleep.
  virtual void watch(const ibv_mr& /*memory*/) {}

  /// Makes this core's current or next `idle` return soon. The one member that another core may
  /// call, until Fabric::run returns.
  virtual void wake() = 0;

 protected:
  explicit Core(const WorkCosts& costs) : costs_(costs) {}

  /// Called by `spend` when `preemptible_` is set.
  virtual void preempt() {}

  /// Called by `step` when `preemptible_` is set.
  virtual void interrupt(const void* /*at*/) {}

  /// Called by `reach` where the node is to die; does not return to its caller.
  virtual void die(const CrashPoint& crash);

  /// Called by `note` when `followed_` is set.
  virtual void noted(Notice /*notice*/, std::uint64_t /*what*/) {}

  /// The core does `activity` for `time`.
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

/// See Core::step, of a core that is known, or null where nothing else is running.
inline void step(Core* core, const void* at) {
  if (core != nullptr) core->step(at);
}

/// See Core::reach, likewise.
inline void reach(Core* core, std::string_view point) {
  if (core != nullptr) core->reach(point);
}

}  // namespace verbena::rdma
