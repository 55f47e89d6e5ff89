// Calls to memory servers about records of an attempt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/nam/attempt/access.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/snapshot/server_group.h"

namespace verbena::txn::nam {

/// Posts one call to each server, or more where one message cannot hold all records: `head`, then
/// message(access) of each record. Sorts the accesses by server, the order of the calls.
template <typename Message>
void call_servers(Attempt& attempt, std::vector<Access*>& accesses, rdma::RpcMethod method,
                  std::span<const std::byte> head, Message&& message) {
  using One = std::invoke_result_t<Message, const Access&>;
  const CallRoom room{.request_bytes = attempt.worker().rpc().max_payload() - head.size()};
  const auto server_of = [&](const Access* access) { return attempt.server_of(access->name()); };
  const auto sizes_of = [](const Access*) { return RecordSizes{.request_bytes = sizeof(One)}; };
  std::ranges::stable_sort(accesses, {}, server_of);
  for (std::span rest(accesses); !rest.empty();) {
    const auto group = first_group(rest, room, server_of, sizes_of);
    MessageWriter out = add_call(attempt.calls(), method, head, group);
    for (const Access* access : group.records) out.put(message(*access));
    rest = rest.subspan(group.records.size());
  }
  attempt.calls().post();
}

}  // namespace verbena::txn::nam
