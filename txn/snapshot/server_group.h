// Records of many servers, grouped into calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/message_io.h"
#include "rdma/base/types.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/rpc/rpc_handler.h"

namespace verbena::txn {

/// Room in one call for its records.
struct CallRoom {
  std::size_t request_bytes;
  std::size_t reply_bytes = SIZE_MAX;
  std::size_t records = SIZE_MAX;
};

/// Room that one record takes in a call.
struct RecordSizes {
  std::size_t request_bytes;
  std::size_t reply_bytes = 0;
};

/// Consecutive records of one server.
template <typename Record>
struct ServerGroup {
  NodeId server;
  std::span<Record> records;
  std::size_t request_bytes;  ///< of all its records
};

/// Returns the first group of `records`, which must not be empty and are sorted by
/// server_of(record): as many as fit in one call by sizes_of(record), at least one.
template <typename Record, typename ServerOf, typename SizesOf>
ServerGroup<Record> first_group(std::span<Record> records, const CallRoom& room,
                                ServerOf&& server_of, SizesOf&& sizes_of) {
  const NodeId server = server_of(records.front());
  std::size_t count = 0;
  RecordSizes all{.request_bytes = 0};
  for (; count < records.size() && server_of(records[count]) == server; ++count) {
    const RecordSizes one = sizes_of(records[count]);
    const RecordSizes more{.request_bytes = all.request_bytes + one.request_bytes,
                           .reply_bytes = all.reply_bytes + one.reply_bytes};
    const bool fits = more.request_bytes <= room.request_bytes &&
                      more.reply_bytes <= room.reply_bytes && count < room.records;
    if (count > 0 && !fits) break;
    all = more;
  }
  return {.server = server, .records = records.first(count), .request_bytes = all.request_bytes};
}

/// Adds a call to the group's server that begins with `head`; the caller writes the records behind
/// it.
template <typename Record>
MessageWriter add_call(rdma::RpcBatch& calls, rdma::RpcMethod method,
                       std::span<const std::byte> head, const ServerGroup<Record>& group) {
  MessageWriter message(calls.reserve(group.server, method, head.size() + group.request_bytes));
  if (!head.empty()) message.put_padded(head);
  return message;
}

}  // namespace verbena::txn
