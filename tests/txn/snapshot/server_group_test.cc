// Records of many servers that go into few calls.
#include "txn/snapshot/server_group.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/types.h"

namespace verbena::txn {
namespace {

struct Record {
  std::uint16_t server;
  std::size_t request_bytes;
  std::size_t reply_bytes;
};

struct Call {
  std::uint16_t server;
  std::size_t records;
  std::size_t request_bytes;

  bool operator==(const Call&) const = default;
};

// The calls of all records, the first group's first.
std::vector<Call> calls(const std::vector<Record>& records, const CallRoom& room) {
  std::vector<Call> all;
  const auto server_of = [](const Record& record) { return static_cast<NodeId>(record.server); };
  const auto sizes_of = [](const Record& record) {
    return RecordSizes{.request_bytes = record.request_bytes, .reply_bytes = record.reply_bytes};
  };
  for (std::span<const Record> rest(records); !rest.empty();) {
    const auto group = first_group(rest, room, server_of, sizes_of);
    all.push_back({.server = group.records.front().server,
                   .records = group.records.size(),
                   .request_bytes = group.request_bytes});
    EXPECT_EQ(group.server, static_cast<NodeId>(all.back().server));
    rest = rest.subspan(group.records.size());
  }
  return all;
}

TEST(ServerGroup, HasTheRecordsOfOneServer) {
  EXPECT_EQ(calls({{1, 8, 0}, {1, 16, 0}, {4, 8, 0}}, {.request_bytes = 100}),
            (std::vector<Call>{{1, 2, 24}, {4, 1, 8}}));
}

TEST(ServerGroup, HasAsManyAsTheRequestHolds) {
  EXPECT_EQ(calls({{1, 8, 0}, {1, 8, 0}, {1, 8, 0}}, {.request_bytes = 16}),
            (std::vector<Call>{{1, 2, 16}, {1, 1, 8}}));
}

TEST(ServerGroup, HasAsManyAsTheReplyHolds) {
  const CallRoom room{.request_bytes = 100, .reply_bytes = 40};
  EXPECT_EQ(calls({{1, 8, 30}, {1, 8, 10}, {1, 8, 1}}, room),
            (std::vector<Call>{{1, 2, 16}, {1, 1, 8}}));
}

TEST(ServerGroup, HasNoMoreThanAPiece) {
  const CallRoom room{.request_bytes = 100, .records = 2};
  EXPECT_EQ(calls({{1, 8, 0}, {1, 8, 0}, {1, 8, 0}}, room),
            (std::vector<Call>{{1, 2, 16}, {1, 1, 8}}));
}

TEST(ServerGroup, HasOneRecordWhateverItsSize) {
  EXPECT_EQ(calls({{1, 50, 0}, {1, 8, 0}}, {.request_bytes = 16}),
            (std::vector<Call>{{1, 1, 50}, {1, 1, 8}}));
}

}  // namespace
}  // namespace verbena::txn
