// Quantities are read from result documents by their names.
#include "experiments/points/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "experiments/points/point_result.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

// As `verbena run --json` writes it, with what is read of it.
PointResult document() {
  return parse_point_result(R"({
    "trace_digest": "0", "config": {"nodes": 4},
    "results": [{
      "name": "nam/tpcc", "values": {}, "throughput_per_s": 8e6, "committed": 60,
      "aborted": {"locked": 15, "stale_snapshot": 5},
      "latency_us": {"p50": 50, "p90": 90, "p99": 99, "p999": 100, "mean": 55, "max": 101},
      "phases": {"install": {"count": 70, "p50": 9, "mean": 10}, "read": {"count": 0}},
      "kinds": {
        "new_order": {"committed": 30, "throughput_per_s": 4e6, "mean_latency_us": 77},
        "payment": {"committed": 0, "throughput_per_s": 0, "mean_latency_us": null}
      }
    }]
  })");
}

TEST(Quantities, OfTheWholeRun) {
  EXPECT_DOUBLE_EQ(quantity_of(document(), "throughput"), 8);
  EXPECT_DOUBLE_EQ(quantity_of(document(), "throughput_per_node"), 2);
  EXPECT_DOUBLE_EQ(quantity_of(document(), "mean"), 55);
  EXPECT_DOUBLE_EQ(quantity_of(document(), "abort_rate"), 0.25);
}

TEST(Quantities, OfPhases) {
  EXPECT_DOUBLE_EQ(quantity_of(document(), "install_mean"), 10);
  EXPECT_TRUE(std::isnan(quantity_of(document(), "read_mean"))) << "nobody was in it";
}

TEST(Quantities, OfKindsOfTransactions) {
  EXPECT_DOUBLE_EQ(quantity_of(document(), "new_order_throughput"), 4);
  EXPECT_DOUBLE_EQ(quantity_of(document(), "new_order_latency"), 77);
  EXPECT_DOUBLE_EQ(quantity_of(document(), "payment_throughput"), 0);
  EXPECT_TRUE(std::isnan(quantity_of(document(), "payment_latency"))) << "none was committed";
  EXPECT_TRUE(std::isnan(quantity_of(document(), "amalgamate_throughput"))) << "SmallBank's";
  EXPECT_EQ(quantity_unit("new_order_throughput"), "M/s");
  EXPECT_EQ(quantity_unit("amalgamate_latency"), "us");
}

TEST(Quantities, UnknownOnesAreRefusedWithTheNearest) {
  try {
    check_quantity("new_order_latencies");
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean new_order_latency?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace verbena::experiments
