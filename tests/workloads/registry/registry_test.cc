// Every workload is made by its name and explains its parameters; other names are refused.
#include "workloads/registry/registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "rdma/base/errors.h"
#include "tests/workloads/run/set_parameter.h"

namespace verbena::workloads {
namespace {

constexpr ClusterSize kShape = {.partitions = 3, .workers = 2};

class RegistryTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<WorkloadFactory> factory_ = workload_factory(GetParam());
};

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RegistryTest, ::testing::ValuesIn(workload_names()), test_name);

TEST_P(RegistryTest, MakesTheWorkloadOfThatName) {
  EXPECT_NO_THROW(factory_->check(kShape));
  EXPECT_EQ(factory_->make(kShape)->name(), GetParam());
}

TEST_P(RegistryTest, TellsWhatItIsAndWhatItsSizesFollowFrom) {
  EXPECT_NE(factory_->info().help, "");
  EXPECT_NE(factory_->info().sizes_follow_from, "");
  EXPECT_FALSE(factory_->info().small_tables.empty());
}

TEST_P(RegistryTest, ParametersHaveNamesOfTheirOwnAndHelp) {
  std::set<std::string> names;
  for (const Parameter& parameter : factory_->parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_NE(parameter.help, "") << parameter.name;
  }
}

TEST_P(RegistryTest, DefaultsAreAllowed) {
  for (const Parameter& parameter : factory_->parameters()) {
    EXPECT_NO_THROW(check_value(parameter)) << parameter.name;
  }
}

TEST_P(RegistryTest, SmallTablesAreSmallerThanOthers) {
  const auto records_of = [&] {
    std::uint64_t records = 0;
    for (const auto& table : factory_->make(kShape)->schema()) {
      records += table.initial_records + table.insert_capacity;
    }
    return records;
  };
  const std::uint64_t usual = records_of();
  for (const auto& [name, value] : factory_->info().small_tables) {
    testing::set_parameter(*factory_, name, value);
  }
  EXPECT_NO_THROW(factory_->check(kShape));
  EXPECT_LT(records_of(), usual);
}

TEST_P(RegistryTest, WhatIsMadeOutlivesItsFactory) {
  const auto workload = factory_->make(kShape);
  factory_.reset();
  EXPECT_FALSE(workload->schema().empty());
  EXPECT_FALSE(workload->kinds().empty());
}

TEST(Registry, RefusesOtherNamesWithThoseThatThereAre) {
  try {
    workload_factory("smalbank");
    FAIL() << "must be refused";
  } catch (const ConfigurationError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("workload smalbank is unknown; there are smallbank, tpcc-no"), 0U) << text;
    EXPECT_NE(text.find("; did you mean smallbank?"), std::string::npos) << text;
  }
}

TEST(TpccFactory, RefusesWarehousesThatDoNotFitTheCluster) {
  const auto factory = workload_factory("tpcc");
  EXPECT_THROW(factory->check({.partitions = 700, .workers = 100}), ConfigurationError);
  testing::set_parameter(*factory, "warehouses", "6");
  EXPECT_NO_THROW(factory->check({.partitions = 3, .workers = 4}));
  EXPECT_THROW(factory->check({.partitions = 4, .workers = 3}), ConfigurationError);
}

TEST(TpccFactory, RefusesADistributionThatTheClusterCannotHave) {
  const auto factory = workload_factory("tpcc");
  const auto refused = [&](std::uint32_t partitions) -> std::string {
    try {
      factory->check({.partitions = partitions, .workers = 2});
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THROW(testing::set_parameter(*factory, "distributed_percent", "101"), ConfigurationError);
  testing::set_parameter(*factory, "distributed_percent", "20");
  EXPECT_EQ(refused(2), "");
  EXPECT_EQ(refused(1),
            "workload.distributed_percent 20; allowed are 0 and auto where one server has all "
            "warehouses");
  testing::set_parameter(*factory, "remote_percent", "5");
  EXPECT_EQ(refused(2),
            "workload.distributed_percent 20; allowed is auto with --remote-percent 5, which says "
            "the same of each order line");
  testing::set_parameter(*factory, "remote_percent", "auto");
  testing::set_parameter(*factory, "distributed_percent", "0");
  EXPECT_EQ(refused(1), "");
}

}  // namespace
}  // namespace verbena::workloads
