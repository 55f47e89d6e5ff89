// Calls of memory servers about records of an attempt.
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

namespace verbena::txn::nam {

/// Posts one call of each server, or as many as its messages hold: `head`, and message(access) of
/// each record. Sorts the accesses by their servers, which is the order of the calls.
template <typename Message>
void call_servers(Attempt& attempt, std::vector<Access*>& accesses, rdma::RpcMethod method,
                  std::span<const std::byte> head, Message&& message) {
  using One = std::invoke_result_t<Message, const Access&>;
  const std::size_t most = (attempt.worker().rpc().max_payload() - head.size()) / sizeof(One);
  const auto server_of = [&](const Access* access) { return attempt.server_of(access->name()); };
  std::ranges::stable_sort(accesses, {}, server_of);
  for (std::size_t first = 0; first < accesses.size();) {
    const NodeId server = server_of(accesses[first]);
    std::size_t end = first;
    while (end < accesses.size() && end - first < most && server_of(accesses[end]) == server) ++end;
    MessageWriter out(
        attempt.calls().reserve(server, method, head.size() + (end - first) * sizeof(One)));
    if (!head.empty()) out.put_padded(head);
    for (; first < end; ++first) out.put(message(*accesses[first]));
  }
  attempt.calls().post();
}

}  // namespace verbena::txn::nam
