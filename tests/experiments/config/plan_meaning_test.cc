// Plans that are said in different words.
#include "experiments/config/plan_meaning.h"

#include <gtest/gtest.h>

#include "txn/plan/plan.h"

namespace verbena::experiments {
namespace {

TEST(PlanMeaning, DoesNotHangOnTheOrder) {
  EXPECT_EQ(plan_meaning("log=two-sided,commit.passive_ack=off"),
            plan_meaning("commit.passive_ack=off,log=two-sided"));
  EXPECT_EQ(plan_meaning("lock=two-sided,commit=two-sided"), "lock=two-sided,commit=two-sided");
  EXPECT_EQ(plan_meaning(""), "");
}

TEST(PlanMeaning, IsOfTheLastOfSeveralChanges) {
  EXPECT_EQ(plan_meaning("log=one-sided,log=two-sided"), plan_meaning("log=two-sided"));
  EXPECT_NE(plan_meaning("log=two-sided,log=one-sided"), plan_meaning("log=two-sided"));
}

TEST(PlanMeaning, TakesValidateForLockingToo) {
  EXPECT_EQ(plan_meaning("validate=two-sided"), plan_meaning("lock=two-sided,validate=two-sided"));
  EXPECT_NE(plan_meaning("validate=two-sided,lock=one-sided"),
            plan_meaning("lock=one-sided,validate=two-sided"));
  EXPECT_EQ(plan_meaning("validate.doorbell=off"),
            plan_meaning("validate.doorbell=off,lock.doorbell=off"));
}

TEST(PlanMeaning, TakesSwitchesForWhatTheyAre) {
  EXPECT_EQ(plan_meaning("log.doorbell=YES"), plan_meaning("log.doorbell=on"));
  EXPECT_EQ(plan_meaning("log.doorbell=0"), "log.doorbell=off");
}

TEST(PlanMeaning, MakesTheSamePlan) {
  const txn::Plan plan = txn::plan_preset("drtmh");
  for (const char* text :
       {"validate=two-sided,lock=one-sided", "validate.doorbell=no,log=two-sided",
        "commit=two-sided,validate=two-sided,commit=one-sided"}) {
    const txn::Plan said = txn::changed(plan, text);
    const txn::Plan meant = txn::changed(plan, plan_meaning(text));
    EXPECT_EQ(said.lock.primitive, meant.lock.primitive) << text;
    EXPECT_EQ(said.validate.primitive, meant.validate.primitive) << text;
    EXPECT_EQ(said.commit.primitive, meant.commit.primitive) << text;
    EXPECT_EQ(said.log.primitive, meant.log.primitive) << text;
    EXPECT_EQ(said.lock.doorbell, meant.lock.doorbell) << text;
  }
}

}  // namespace
}  // namespace verbena::experiments
