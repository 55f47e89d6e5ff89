// Requests and replies of chains.
#include "rdma/prism/called_chains.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rdma/chain/chain_message.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {

std::size_t CalledChains::checked_bytes(std::span<Operation* const> operations) const {
  std::size_t request = kChainHeaderBytes;
  std::size_t reply = 0;
  std::size_t longest = 0;
  for (const Operation* const operation : operations) {
    request += request_bytes(*operation);
    reply += most_reply_bytes(*operation);
    longest = std::max<std::size_t>(longest, operation->length);
  }
  reply = std::max(reply, longest);
  const std::size_t most = rpc_.max_payload();
  if (request > most || reply > most) {
    throw std::logic_error("a chain of " + std::to_string(request) + " B with results of " +
                           std::to_string(reply) + " B; a message holds " + std::to_string(most) +
                           " B, more with rdma.rpc_transport=write-ring");
  }
  return request;
}

void CalledChains::send(NodeId server, RegionId region, std::span<Operation* const> operations,
                        Doorbell /*doorbell*/) {
  const std::size_t bytes = checked_bytes(operations);
  const std::span<std::byte> request = calls_.reserve(server, kCarryOutChain, bytes);
  ChainRequestWriter writer(request, region, operations.size());
  for (const Operation* const operation : operations) writer.put(*operation);
}

void CalledChains::take(std::uint32_t chain, std::span<Operation* const> operations,
                        std::span<OperationResult> results) {
  calls_.take(chain, [&](std::span<const std::byte> reply) {
    BoundedReader reader(reply);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      results[i] = take_result(reader, *operations[i]);
    }
    reader.expect_end();
  });
}

}  // namespace verbena::rdma
