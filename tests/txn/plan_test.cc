// Plans: presets, the decision of hybrid phases, and the combinations that are refused.
#include "txn/plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "rdma/seam/errors.h"

namespace verbena::txn {
namespace {

constexpr PlanEnvironment kOneNic{.cpu_coherent_atomics = false, .nics = 1};
constexpr PlanEnvironment kTwoNics{.cpu_coherent_atomics = false, .nics = 2};
constexpr PlanEnvironment kCoherent{.cpu_coherent_atomics = true, .nics = 2};

std::string refusal(const Plan& plan, const PlanEnvironment& environment) {
  try {
    resolve(plan, environment);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, EveryPresetResolvesOnOneNic) {
  for (const std::string& name : plan_names()) {
    EXPECT_EQ(refusal(plan_preset(name), kOneNic), "") << name;
    EXPECT_EQ(plan_preset(name).name, name);
  }
}

TEST(Plan, UnknownPresetNamesTheKnownOnes) {
  try {
    plan_preset("farmer");
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("farmer"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("drtmh"), std::string::npos);
  }
}

TEST(Plan, DrtmhLocksAndCommitsOneSidedWhereAtomicsAreUsable) {
  const Plan plan = resolve(plan_preset("drtmh"), kOneNic);
  EXPECT_EQ(plan.lock.primitive, Primitive::kOneSided);
  EXPECT_EQ(plan.commit.primitive, Primitive::kOneSided);
  EXPECT_TRUE(plan.commit.passive);
  EXPECT_EQ(plan.execute.primitive, Primitive::kHybrid);
}

TEST(Plan, DrtmhLocksTwoSidedWhereNicsDoNotExcludeEachOther) {
  const Plan plan = resolve(plan_preset("drtmh"), kTwoNics);
  EXPECT_EQ(plan.lock.primitive, Primitive::kTwoSided);
  EXPECT_EQ(plan.commit.primitive, Primitive::kTwoSided);
}

TEST(Plan, TrustInSeveralNicsIsAWishOfItsOwn) {
  Plan plan = plan_preset("drtmh");
  plan.trust_atomics_across_nics = true;
  EXPECT_EQ(resolve(plan, kTwoNics).lock.primitive, Primitive::kOneSided);
  const std::string refused = refusal(plan_preset("one-sided"), kTwoNics);
  for (const char* part :
       {"2 NICs per node", "--nics-per-node 1", "plan.trust_atomics_across_nics=true"}) {
    EXPECT_NE(refused.find(part), std::string::npos) << refused;
  }
  EXPECT_EQ(refusal(plan_preset("one-sided"), kCoherent), "");
}

TEST(Plan, OneSidedLocksWithTwoSidedCommitAreRefused) {
  Plan plan = plan_preset("one-sided");
  plan.commit.primitive = Primitive::kTwoSided;
  const std::string reason = refusal(plan, kOneNic);
  EXPECT_NE(reason.find("one-sided"), std::string::npos);
  EXPECT_NE(reason.find("IBV_ATOMIC_HCA"), std::string::npos);
  EXPECT_EQ(refusal(plan, kCoherent), "");
}

TEST(Plan, HybridLocksAdaptToATwoSidedCommit) {
  Plan plan = plan_preset("drtmh");
  plan.commit.primitive = Primitive::kTwoSided;
  EXPECT_EQ(resolve(plan, kOneNic).lock.primitive, Primitive::kTwoSided);
}

TEST(Plan, TwoSidedLocksWithOneSidedCommitAreFine) {
  Plan plan = plan_preset("two-sided");
  plan.commit.primitive = Primitive::kOneSided;
  EXPECT_EQ(refusal(plan, kOneNic), "");
}

TEST(Plan, HybridIsRefusedWhereThereIsNothingToChoose) {
  for (PhasePlan Plan::*phase : {&Plan::validate, &Plan::log, &Plan::read_validate}) {
    Plan plan = plan_preset("drtmh");
    (plan.*phase).primitive = Primitive::kHybrid;
    EXPECT_NE(refusal(plan, kOneNic).find("hybrid"), std::string::npos);
  }
}

TEST(Plan, OnlyTheCommitPhaseMayBePassive) {
  for (PhasePlan Plan::*phase : {&Plan::execute, &Plan::lock, &Plan::validate, &Plan::log,
                                 &Plan::read, &Plan::read_validate}) {
    Plan plan = plan_preset("drtmh");
    (plan.*phase).passive = true;
    EXPECT_NE(refusal(plan, kOneNic).find("passive"), std::string::npos);
  }
}

}  // namespace
}  // namespace verbena::txn
