// Payloads of RPCs in tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"

namespace verbena::testing {

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <typename T>
T value_of(std::span<const std::byte> bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Notes the 8 B number of each request and how often it was executed; answers with the number that
/// follows.
class Executions {
 public:
  void serve(rdma::Worker& worker, rdma::RpcMethod method) {
    worker.rpc().serve(method, [this](const rdma::RpcCaller& /*caller*/,
                                      std::span<const std::byte> request, rdma::RpcReply& reply) {
      const auto number = value_of<std::uint64_t>(request);
      ++times_[number];
      const std::uint64_t answer = number + 1;
      std::memcpy(reply.allocate(sizeof answer).data(), &answer, sizeof answer);
    });
  }
  void expect_each_once(std::size_t count) const {
    EXPECT_EQ(times_.size(), count);
    for (const auto& [number, executed] : times_) EXPECT_EQ(executed, 1) << "request " << number;
  }

 private:
  std::map<std::uint64_t, int> times_;
};

}  // namespace verbena::testing
