// A worker's fibers in each state, for a debugger to look at.
#include "rdma/fibers/fiber_scheduler.h"

namespace verbena::rdma {
namespace {

__attribute__((noinline)) void await_answer(FiberScheduler& scheduler) {
  scheduler.suspend();
  scheduler.make_ready(scheduler.current());
}

__attribute__((noinline)) void await_lock(FiberScheduler& scheduler) {
  scheduler.sleep_until(5000_ns);
  scheduler.make_ready(scheduler.current());
}

__attribute__((noinline)) void look_around(FiberScheduler& scheduler) {
  if (scheduler.alive() != 4) __builtin_trap();
}

}  // namespace
}  // namespace verbena::rdma

int main() {
  using verbena::rdma::FiberScheduler;
  FiberScheduler scheduler(65536, 4);
  scheduler.spawn([&] { verbena::rdma::await_answer(scheduler); });
  scheduler.spawn([&] { verbena::rdma::await_lock(scheduler); });
  scheduler.spawn([&] { verbena::rdma::look_around(scheduler); });
  scheduler.spawn([] {});
  scheduler.run_ready([](verbena::rdma::FiberId) {}, [] { return true; });
}
