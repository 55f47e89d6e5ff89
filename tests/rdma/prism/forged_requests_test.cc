// One-sided requests for cores that no peer sends: refused, and nothing of their message is done.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/prism/request_message.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::Cluster;
using testing::FabricShape;

constexpr std::uint64_t kBytes = 1 << 14;

/// Bytes of a message, one struct behind the other.
class Forged {
 public:
  template <typename T>
  Forged& put(const T& value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

RequestHeader request(RequestOpcode opcode, std::uint64_t offset, std::uint32_t length,
                      std::uint16_t region = 0) {
  return {.offset = offset,
          .length = length,
          .region = region,
          .opcode = static_cast<std::uint8_t>(opcode),
          .unused = 0};
}

/// The error of a run in which node 1 sends `message` to node 0, whose memory stays zero.
std::string refusal_of(const Forged& message) {
  const FabricShape shape{.nodes = 2};
  EndpointOptions options = testing::options_for(shape);
  options.prism = PrismMode::kSoftware;
  Cluster cluster(shape, options,
                  [](Endpoint& endpoint) { endpoint.add_region("zeros", kBytes, {}); });
  Worker& worker = cluster.worker(1);
  worker.spawn([&] {
    RpcBatch batch(worker.rpc());
    batch.add(0, kCarryOutRequests, message.bytes());
    batch.post();
    batch.wait();
  });
  std::string refusal = "none";
  try {
    cluster.run();
  } catch (const PeerError& error) {
    refusal = error.what();
  }
  const std::byte* memory = cluster.endpoint(0).region(0).at(0, kBytes);
  EXPECT_TRUE(std::all_of(memory, memory + kBytes, [](std::byte b) { return b == std::byte(0); }));
  return refusal;
}

Forged message_of(const RequestHeader& header) {
  Forged message;
  // Nothing of this is done either if what follows is refused.
  message.put(RequestMessageHeader{}).put(request(RequestOpcode::kFetchAndAdd, 0, 8));
  message.put(AtomicOperands{1, 0}).put(header);
  return message;
}

TEST(RequestsOfNobody, AreRefusedAndNothingOfTheirMessageIsDone) {
  using enum RequestOpcode;
  const auto refused = [](const Forged& message, const std::string& because) {
    const std::string refusal = refusal_of(message);
    EXPECT_NE(refusal.find("(worker 0) by method 242: " + because), std::string::npos) << refusal;
  };
  refused(Forged().put(std::uint32_t{0}), "ends too early");
  refused(Forged().put(RequestMessageHeader{.behind = 0, .passive = 2}),
          "has the mark of passive messages 2; allowed are 0 to 1");
  refused(message_of(request(static_cast<RequestOpcode>(4), 0, 8)), "has the operation 4");
  refused(message_of(request(kRead, 0, 8, 1)), "has the region 1; allowed are 0 to 0");
  refused(message_of(request(kRead, 0, UINT32_MAX)), "has the length 4294967295");
  refused(message_of(request(kRead, kBytes - 7, 8)), "has the offset 16377");
  refused(message_of(request(kRead, UINT64_MAX, 8)), "has the offset 18446744073709551615");
  refused(message_of(request(kRead, 0, 8000)), "has bytes of results 8008");
  refused(message_of(request(kWrite, 0, 64)), "ends too early");
  refused(message_of(request(kFetchAndAdd, 0, 16)).put(AtomicOperands{}),
          "has the length of an atomic 16");
  refused(message_of(request(kCompareAndSwap, 4, 8)).put(AtomicOperands{}),
          "has an atomic that is not aligned to 8 B");
  refused(message_of(request(kCompareAndSwap, 8, 8)), "ends too early");
}

}  // namespace
}  // namespace verbena::rdma
