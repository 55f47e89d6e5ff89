// Whose a version in overflow is, when its lines have been used again.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "tests/txn/nam/one_server.h"
#include "txn/nam/layout.h"
#include "txn/nam/overflow.h"
#include "txn/nam/version.h"

namespace verbena::txn::nam {
namespace {

constexpr Nanoseconds kLongest = 10 * kMicrosecond;
constexpr std::uint32_t kPayloadBytes = 8;
constexpr auto kPartition = static_cast<PartitionId>(0);

// A memory server's records of two tables, with one place for an old version each.
class MovedVersions : public ::testing::Test {
 protected:
  // The version of a transaction that has been replaced, which its place has.
  void put_old(const RecordName& name, const OldHeader& header) {
    const ImageFormat& format = layout_.table(name.table).format;
    std::byte* live = memory_.at(layout_.old(name, name.key, 0).offset, format.bytes());
    const std::vector<std::byte> payload(kPayloadBytes);
    format.compose(RecordImage(live), header.version, header.installs, name.key, payload.data());
    *headers(name) = header;
  }
  OldHeader* headers(const RecordName& name) {
    return reinterpret_cast<OldHeader*>(
        memory_.at(layout_.headers(name, name.key).offset, 2 * sizeof(OldHeader)));
  }
  OldHeader link_of(const RecordName& name) { return headers(name)[1]; }
  MovedVersion at(std::uint32_t line) {
    return *reinterpret_cast<MovedVersion*>(
        memory_.at(layout_.overflow(one_, line).offset, sizeof(MovedVersion)));
  }

  const RecordName one_{.table = 0, .partition = kPartition, .key = 3};
  const RecordName other_{.table = 1, .partition = kPartition, .key = 3};
  const Deployment deployment_ =
      deployment_of({{.name = "one", .payload_bytes = kPayloadBytes, .initial_records = 10},
                     {.name = "other", .payload_bytes = kPayloadBytes, .initial_records = 10}});
  const Layout layout_{deployment_, {.versions = 1, .overflow_kib = 1}};
  const NodeId server_ = deployment_.view.primary(kPartition);
  rdma::FirstTouchMemory memory_{"records", layout_.records_bytes(server_),
                                 layout_.loader(server_)};
  Overflow overflow_{layout_, memory_, kLongest};
  LoneCore core_;
};

TEST_F(MovedVersions, AreNotTakenForThoseOfAnotherRecordOfTheSameTransaction) {
  for (const bool erased : {false, true}) {
    core_.pass(2 * kLongest);
    const std::uint32_t installs = erased ? 4 : 2;
    const OldHeader header{.version = version_of({.slot = 1, .count = installs}, erased),
                           .installs = installs};
    put_old(one_, header);
    put_old(other_, header);
    ASSERT_TRUE(overflow_.move(one_, one_.key, core_));
    const OldHeader link = link_of(one_);
    EXPECT_TRUE(at(link.line).is(link, one_, one_.key));
    core_.pass(2 * kLongest);
    ASSERT_TRUE(overflow_.move(other_, other_.key, core_));
    EXPECT_EQ(at(link.line).own, link) << "told apart by whose they are only";
    EXPECT_FALSE(at(link.line).is(link, one_, one_.key));
    EXPECT_TRUE(at(link.line).is(link, other_, other_.key));
  }
}

}  // namespace
}  // namespace verbena::txn::nam
