// Acknowledgements in headers: executed notifications, around the ends of their short numbers.
#include "rdma/rpc/transport/rpc_message.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace verbena::rdma {
namespace {

TEST(Acknowledgements, TellHowFarTheReceiverIsAheadOrBehind) {
  for (const std::uint32_t base :
       {0U, 1U, 0xffffU, 0x1'0000U, 0xff'ffffU, 0x100'0000U, 0x100'0001U, 0xffff'ffffU}) {
    MessageHeader header{};
    header.set_ack_base(base);
    for (const std::int32_t ahead : {0, 1, 15, 16, 255, 256, -1, -256, -65'536}) {
      EXPECT_EQ(header.acks_ahead_of(base - static_cast<std::uint32_t>(ahead)), ahead)
          << "base " << base;
    }
  }
}

}  // namespace
}  // namespace verbena::rdma
