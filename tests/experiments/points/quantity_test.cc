// Quantities are read from result documents by their names.
#include "experiments/points/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "experiments/config/resolve.h"
#include "experiments/points/measuring_command.h"
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

// The complaint about `--y QUANTITY` of a series of this command.
std::string complaint(Command command, const std::string& operation, const std::string& quantity) {
  CommandLine line;
  line.command = command;
  line.operation = operation;
  try {
    check_quantity(quantity, {MeasuringCommand(resolve(line))});
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Quantities, ThatBenchesLackAreRefusedWithTheNamesOfTheOthers) {
  const std::string others =
      "is of none of these measurements; there are throughput, throughput_per_node, p50, p90, p99, "
      "p999, mean";
  EXPECT_EQ(complaint(Command::kBench, "read", "abort_rate"), others);
  EXPECT_EQ(complaint(Command::kBench, "read", "log_p50"), others);
  EXPECT_EQ(complaint(Command::kBench, "read", "p999"), "(accepted)");
}

TEST(Quantities, ThatRunsLackAreRefusedWithTheNamesOfTheOthers) {
  EXPECT_EQ(complaint(Command::kRun, "", "abort_rate"), "(accepted)");
  EXPECT_EQ(complaint(Command::kRun, "", "log_p50"), "(accepted)");
  EXPECT_EQ(complaint(Command::kRun, "", "balance_latency"), "(accepted)");
  for (const char* quantity : {"new_order_latency", "snapshot_age_p50", "oracle_cores"}) {
    const std::string why = complaint(Command::kRun, "", quantity);
    EXPECT_NE(why.find("mean, abort_rate; PHASE_p50, PHASE_mean, PHASE_handler, PHASE_payload of "),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("; KIND_throughput, KIND_latency of "), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace verbena::experiments
