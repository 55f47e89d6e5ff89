// Ranges of the endpoint options.
#include "rdma/device/endpoint_options.h"

#include <gtest/gtest.h>

#include <string>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

TEST(EndpointOptions, OutOfRangeIsAnErrorThatNamesTheOption) {
  const auto message = [](auto&& change) -> std::string {
    EndpointOptions options;
    change(options);
    try {
      options.validate();
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([](EndpointOptions&) {}), "") << "the defaults are valid";
  EXPECT_EQ(message([](EndpointOptions& o) { o.signal_interval = 65; }),
            "signal_interval = 65: expected a whole number from 1 to 8192, at most half of "
            "rdma.send_queue_depth");
  EXPECT_EQ(message([](EndpointOptions& o) { o.rc_retries = 7; }),
            "rc_retries = 7: expected a whole number from 0 to 6");
  EXPECT_EQ(message([](EndpointOptions& o) { o.nics = 2; }),
            "nics = 2: expected a whole number from 1 to 1");
  EXPECT_EQ(message([](EndpointOptions& o) { o.rpc.receive_depth = 100; }),
            "rpc_receive_depth = 100: expected a whole number from 2 to 32768, a multiple of "
            "rdma.rpc_receive_batch and at least the double of it");
  EXPECT_NE(message([](EndpointOptions& o) { o.rpc.ack_delay = kSecond; }), "");
}

}  // namespace
}  // namespace verbena::rdma
