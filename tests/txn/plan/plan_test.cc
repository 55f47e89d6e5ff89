// Plans: presets, the decision of hybrid phases, and the combinations that are refused.
#include "txn/plan/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "txn/plan/plan_file.h"

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

TEST(Plan, WhatIsWrittenIsValidatedByReadsAlone) {
  Plan plan = plan_preset("farm");
  plan.validate_written = true;
  EXPECT_EQ(refusal(plan, kOneNic), "");
  plan.validate.primitive = Primitive::kTwoSided;
  EXPECT_EQ(refusal(plan, kOneNic),
            "plan 'farm': plan.validate_written is true and phase validate is two-sided; allowed "
            "are one-sided validate, or plan.validate_written=false");
}

TEST(Plan, FasstLocksAsItReads) {
  EXPECT_TRUE(plan_preset("fasst").lock_in_execution);
  EXPECT_TRUE(plan_preset("hybrid-fasst").lock_in_execution);
  EXPECT_EQ(plan_preset("hybrid-fasst").log.primitive, Primitive::kOneSided);
  EXPECT_FALSE(plan_preset("fasst-occ").lock_in_execution);
}

TEST(Plan, LocksInExecutionNeedTwoSidedExecuteAndLocks) {
  for (PhasePlan Plan::*phase : {&Plan::execute, &Plan::lock}) {
    for (const Primitive primitive : {Primitive::kOneSided, Primitive::kHybrid}) {
      Plan plan = plan_preset("fasst");
      (plan.*phase).primitive = primitive;
      const std::string refused = refusal(plan, kCoherent);
      EXPECT_NE(refused.find("execute.locks"), std::string::npos) << refused;
      EXPECT_EQ(refused.find('\n'), std::string::npos) << refused;
    }
  }
}

// The error that `call` throws; empty: none.
template <typename Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanChanges, PhasesAndOptionsAreSetInOrder) {
  const Plan plan =
      changed(plan_preset("drtmh"),
              "validate=two-sided,validate.doorbell=off,lock=hybrid,commit.passive_ack="
              "off,execute.cache=off,execute.locks=on,read-validate=two-sided");
  EXPECT_EQ(plan.validate.primitive, Primitive::kTwoSided);
  EXPECT_EQ(plan.lock.primitive, Primitive::kHybrid);
  EXPECT_FALSE(plan.lock.doorbell);
  EXPECT_FALSE(plan.validate.doorbell);
  EXPECT_FALSE(plan.commit.passive);
  EXPECT_FALSE(plan.location_cache);
  EXPECT_TRUE(plan.lock_in_execution);
  EXPECT_EQ(plan.read_validate.primitive, Primitive::kTwoSided);
  EXPECT_EQ(plan.log.primitive, Primitive::kOneSided);
}

TEST(PlanChanges, WrongWordsAreAnsweredWithWhatIsAllowed) {
  const auto refused = [](const char* text) {
    return complaint([&] { changed(plan_preset("drtmh"), text); });
  };
  EXPECT_NE(refused("comit=two-sided").find("allowed are execute, lock"), std::string::npos);
  EXPECT_NE(refused("commit=onesided").find("allowed are one-sided"), std::string::npos);
  EXPECT_NE(refused("commit.passive=on").find("passive_ack"), std::string::npos);
  EXPECT_NE(refused("log.cache=on").find("outstanding, doorbell, passive_ack, whole"),
            std::string::npos);
  EXPECT_NE(refused("commit.cache=on").find("outstanding, doorbell, passive_ack"),
            std::string::npos);
  EXPECT_NE(refused("commit.passive_ack=perhaps").find("allowed are on and off"),
            std::string::npos);
  EXPECT_NE(refused("commit").find("PHASE=PRIMITIVE"), std::string::npos);
  EXPECT_NE(refused("log=two-sided,").find("PHASE=PRIMITIVE"), std::string::npos);
}

TEST(PlanFile, WhatIsWrongIsToldWithItsLine) {
  const std::string good = built_in_systems().at("farm");
  EXPECT_EQ(parse_plan("mine", "mine.toml", good).name, "mine");
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return complaint([&] { parse_plan("mine", "mine.toml", text); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.starts_with("mine.toml:") && text.find(part) != std::string::npos &&
           text.find('\n') == std::string::npos;
  };
  for (const auto& [from, to, part] : std::vector<std::array<const char*, 3>>{
           {"[execute]", "[exeute]", ":8: exeute: unknown; allowed are protocol, description"},
           {"primitive = \"one-sided\"", "primitive = \"onesided\"", ":9: [execute]: unknown"},
           {"primitive = \"one-sided\"", "primitive = 1", "expected a text"},
           {"primitive = \"one-sided\"", "doorbel = true", "[execute] has no primitive"},
           {"outstanding = false", "outstandin = false", "allowed are outstanding, doorbell"},
           {"outstanding = false", "outstanding = \"no\"",
            ":10: [execute]: outstanding: expected true"},
           {"[log]", "[lock.log]", "unknown option 'log' of phase lock"},
           {"source =", "sauce =", "sauce: unknown"},
           {"[commit]", "[commit", ":28:"}}) {
    const std::string text = refused(from, to);
    EXPECT_TRUE(has(text, part)) << text << " has no " << part;
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
