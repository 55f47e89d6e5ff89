// Advice of doctor, and text of the progress line.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/report/progress.h"
#include "experiments/session/machine.h"

namespace verbena::experiments {
namespace {

Machine healthy() {
  Machine machine;
  machine.memlock_unlimited = true;
  machine.huge_pages = machine.free_huge_pages = 1024;
  machine.huge_page_kib = 2048;
  machine.kernel_devices = {"mlx5_0"};
  machine.user_devices = {"uverbs0"};
  return machine;
}

// The one piece of advice, or all of them joined when there is not exactly one.
std::string only_advice(const Machine& machine, std::size_t devices, std::size_t active_ports) {
  std::string joined;
  for (const std::string& sentence : advice(machine, devices, active_ports)) {
    joined += (joined.empty() ? "" : " | ") + sentence;
  }
  return joined;
}

TEST(Advice, NothingToMendOnAHealthyMachine) { EXPECT_EQ(only_advice(healthy(), 1, 1), ""); }

TEST(Advice, NoDriver) {
  Machine machine = healthy();
  machine.kernel_devices.clear();
  EXPECT_EQ(only_advice(machine, 0, 0).rfind("The kernel has no RDMA device", 0), 0U);
}

TEST(Advice, NoUserAccess) {
  Machine machine = healthy();
  machine.user_devices.clear();
  EXPECT_NE(only_advice(machine, 0, 0).find("modprobe ib_uverbs"), std::string::npos);
}

TEST(Advice, NoPermission) {
  Machine machine = healthy();
  machine.unreadable_devices = {"uverbs0"};
  EXPECT_EQ(only_advice(machine, 0, 0).rfind("/dev/infiniband/uverbs0 cannot be opened", 0), 0U);
}

TEST(Advice, NoProvider) {
  EXPECT_NE(only_advice(healthy(), 0, 0).find("ibverbs-providers"), std::string::npos);
}

TEST(Advice, NoLink) { EXPECT_EQ(only_advice(healthy(), 1, 0).rfind("No port is active", 0), 0U); }

TEST(Advice, LittleLockableMemory) {
  Machine machine = healthy();
  machine.memlock_unlimited = false;
  machine.memlock_bytes = 8 << 20;
  EXPECT_EQ(only_advice(machine, 1, 1).rfind("Only 8.00 MiB of memory may be locked", 0), 0U);
}

TEST(Advice, NoHugePages) {
  Machine machine = healthy();
  machine.huge_pages = 0;
  EXPECT_EQ(only_advice(machine, 1, 1).rfind("No huge pages", 0), 0U);
}

TEST(Progress, EstimatesTheRest) {
  EXPECT_EQ(progress_text(0.25, 10), "25 % after 10 s, 30 s left");
  EXPECT_EQ(progress_text(-0.1, 10), "setting up for 10 s");
  EXPECT_EQ(progress_text(0, 10), "0 % after 10 s");
  EXPECT_EQ(progress_text(1.5, 10), "100 % after 10 s, 0 s left");
}

}  // namespace
}  // namespace verbena::experiments
