// The meaning of `run --verify`, alone and with other flags.
#include <gtest/gtest.h>

#include <variant>

#include "experiments/config/resolve.h"

namespace verbena::experiments {
namespace {

const Assignment kVerify{.key = "verify", .value = "true", .place = "--verify"};

AnyCommand resolved(const std::vector<Assignment>& flags, const std::vector<Assignment>& sets) {
  CommandLine line;
  line.command = Command::kRun;
  line.flags = flags;
  line.sets = sets;
  return resolve(line);
}

TEST(VerifyAlone, IsAHuntOverEverything) {
  const AnyCommand command = resolved({kVerify}, {});
  const auto* hunt = std::get_if<HuntCommand>(&command);
  ASSERT_NE(hunt, nullptr);
  EXPECT_EQ(hunt->seeds, 240U);
  EXPECT_EQ(hunt->system, "all");
  EXPECT_EQ(hunt->workload, "all");
}

TEST(VerifyAlone, IsTheRunThatOtherFlagsDescribe) {
  const Assignment nodes{.key = "nodes", .value = "3", .place = "--nodes"};
  const Assignment patience{.key = "run.patience", .value = "1s", .place = "--set"};
  for (const AnyCommand& command : {resolved({kVerify, nodes}, {}), resolved({kVerify}, {patience}),
                                    resolved({nodes}, {}), resolved({}, {})}) {
    ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  }
  EXPECT_TRUE(std::get<RunCommand>(resolved({kVerify, nodes}, {})).run.verify);
  const Assignment off{.key = "verify", .value = "false", .place = "--verify"};
  EXPECT_TRUE(std::holds_alternative<RunCommand>(resolved({off}, {})));
}

}  // namespace
}  // namespace verbena::experiments
