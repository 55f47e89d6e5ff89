// The hardware fabric's threads, which need no device.
#include "rdma/hardware/hardware_fabric.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "rdma/seam/core.h"

namespace verbena::rdma {
namespace {

TEST(HardwareFabric, ACoreMayBeWokenUntilTheRunIsOver) {
  const auto fabric = make_hardware_fabric({.nodes = 1, .hosted = {}, .addresses = {}});
  std::promise<Core*> left;
  fabric->run({{0, 0, [&](Core& core) { left.set_value(&core); }},
               {0, 1, [&](Core& /*core*/) {
                  Core* other = left.get_future().get();
                  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // its thread ends
                  other->wake();
                }}});
}

TEST(HardwareFabric, AFailedTaskEndsTheOthersAndIsWhatRunReports) {
  const auto fabric = make_hardware_fabric({.nodes = 1, .hosted = {}, .addresses = {}});
  EXPECT_THROW(fabric->run({{0, 0,
                             [](Core& core) {
                               for (;;) core.idle(kNever);
                             }},
                            {0, 1, [](Core& /*core*/) { throw std::runtime_error("failed"); }}}),
               std::runtime_error);
}

}  // namespace
}  // namespace verbena::rdma
