// Points that a core's code reaches, and that it tells to the list that asks for them.
#include "rdma/seam/core.h"

#include <gtest/gtest.h>

#include "rdma/base/reached_points.h"

namespace verbena::rdma {
namespace {

class QuietCore final : public Core {
 public:
  QuietCore() : Core(WorkCosts{}) {}
  Nanoseconds now() const override { return 0; }
  void give_way() override {}
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}
};

TEST(Core, TellsPointsToWhoWantsThem) {
  QuietCore core;
  ReachedPoints reached;
  core.reach("room: before");
  core.tell_points(&reached);
  core.reach("room: told");
  core.tell_points(nullptr);
  core.reach("room: after");
  EXPECT_EQ(reached.points().size(), 1U);
  EXPECT_TRUE(reached.points().contains("room: told"));
}

}  // namespace
}  // namespace verbena::rdma
