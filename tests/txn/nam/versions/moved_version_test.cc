// The owner of a version in overflow, when its lines have been used again.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "rdma/seam/first_touch_memory.h"
#include "tests/txn/nam/interrupted_core.h"
#include "tests/txn/nam/one_server.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/overflow.h"

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
    const std::uint32_t installs = erased ? 2 : 1;
    const OldHeader header{.version = version_of({.slot = 1, .count = installs}, erased),
                           .installs = installs};
    put_old(one_, header);
    put_old(other_, header);
    ASSERT_TRUE(overflow_.move(one_, one_.key, Overflow::WhenFull::kKeep, core_));
    const OldHeader link = link_of(one_);
    EXPECT_TRUE(at(link.line).is(link, one_, one_.key));
    core_.pass(2 * kLongest);
    ASSERT_TRUE(overflow_.move(other_, other_.key, Overflow::WhenFull::kKeep, core_));
    EXPECT_EQ(at(link.line).own, link) << "told apart by whose they are only";
    EXPECT_FALSE(at(link.line).is(link, one_, one_.key));
    EXPECT_TRUE(at(link.line).is(link, other_, other_.key));
  }
}

// The writer has waited long enough; readers find that what they look for is not there any more.
TEST_F(MovedVersions, AreForgottenBeforeTheirTimeForWhoHasWaitedLong) {
  using enum Overflow::WhenFull;
  const auto put_next = [&](std::uint32_t installs) {
    put_old(one_,
            {.version = version_of({.slot = 1, .count = installs}, false), .installs = installs});
  };
  std::uint32_t kept = 1;
  OldHeader first;
  for (put_next(kept); overflow_.move(one_, one_.key, kKeep, core_); put_next(++kept)) {
    if (kept == 1) first = link_of(one_);
  }
  ASSERT_GT(kept, 2U);
  EXPECT_FALSE(overflow_.move(one_, one_.key, kKeep, core_)) << "full still";
  EXPECT_TRUE(at(first.line).is(first, one_, one_.key));
  for (std::uint32_t more = 0, most = 3 * kept; more < most; ++more) {
    ASSERT_TRUE(overflow_.move(one_, one_.key, kForget, core_)) << more;
    EXPECT_TRUE(overflow_.follows(one_, one_.key)) << more;
    put_next(++kept);
  }
  EXPECT_FALSE(at(first.line).is(first, one_, one_.key));
}

// The CPU reads, of three places, the one of version 3 first, that of 4 while it is written, and
// that of 5 when it has been.
TEST(MovedVersionsOfSeveralPlaces, FollowEachOtherWhenTheNextIsWrittenMeanwhile) {
  const Deployment deployment =
      deployment_of({{.name = "one", .payload_bytes = kPayloadBytes, .initial_records = 10}});
  const Layout layout(deployment, {.versions = 3, .overflow_kib = 10});
  const RecordName name{.table = 0, .partition = kPartition, .key = 3};
  const NodeId server = deployment.view.primary(kPartition);
  std::uint32_t steps = 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    rdma::FirstTouchMemory memory("records", layout.records_bytes(server), layout.loader(server));
    Overflow overflow(layout, memory, kLongest);
    auto* headers = reinterpret_cast<OldHeader*>(
        memory.at(layout.headers(name, name.key).offset, 4 * sizeof(OldHeader)));
    const auto put_old = [&](std::uint32_t installs) {
      const ImageFormat& format = layout.table(0).format;
      const std::uint32_t slot = installs % 3;
      const std::uint64_t version = version_of({.slot = 1, .count = installs}, false);
      const std::vector<std::byte> payload(kPayloadBytes);
      std::byte* live = memory.at(layout.old(name, name.key, slot).offset, format.bytes());
      format.compose(RecordImage(live), version, installs, name.key, payload.data());
      headers[slot] = {.version = version, .installs = installs};
    };
    LoneCore quiet;
    for (std::uint32_t installs = 1; installs <= 3; ++installs) put_old(installs);
    ASSERT_TRUE(overflow.move(name, name.key, Overflow::WhenFull::kKeep, quiet));
    InterruptedCore core(step, [&] {
      put_old(4);
      put_old(5);
    });
    ASSERT_TRUE(overflow.move(name, name.key, Overflow::WhenFull::kKeep, core));
    EXPECT_TRUE(overflow.follows(name, name.key)) << "while it is written, step " << step;
    ASSERT_TRUE(overflow.move(name, name.key, Overflow::WhenFull::kKeep, quiet));
    EXPECT_TRUE(overflow.follows(name, name.key)) << "afterwards, step " << step;
    EXPECT_EQ(headers[3].installs, 5U) << step;
    steps = core.steps();
  }
  EXPECT_GT(steps, 4U);
}

}  // namespace
}  // namespace verbena::txn::nam
