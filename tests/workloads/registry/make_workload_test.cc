// Every workload is made by its name, others are refused.
#include "workloads/registry/make_workload.h"

#include <gtest/gtest.h>

#include "rdma/base/errors.h"

namespace verbena::workloads {
namespace {

TEST(MakeWorkload, MakesEveryWorkloadThatItNames) {
  for (const std::string& name : workload_names()) {
    EXPECT_EQ(make_workload(name, 3, 2, {})->name(), name);
  }
}

TEST(MakeWorkload, RefusesOtherNamesWithThoseThatThereAre) {
  try {
    make_workload("smalbank", 3, 2, {});
    FAIL() << "must be refused";
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(std::string(error.what()).find("workload smalbank is unknown; there are smallbank"),
              0U)
        << error.what();
  }
}

}  // namespace
}  // namespace verbena::workloads
