// Sums over the parts of messages.
#include "txn/nam/message_sizes.h"

#include <algorithm>

#include "rdma/rpc/transport/rpc_message.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

std::uint32_t listed_keys(const TransactionLimits& limits) {
  constexpr std::uint32_t kAFew = 64;  // where most have been erased
  return limits.scanned == 0 ? 0 : std::max(limits.scanned, kAFew);
}

std::size_t message_bytes(const TransactionLimits& limits) {
  const std::size_t longest =
      std::max({sizeof(ClaimRequest) + limits.written * sizeof(KeyToClaim), sizeof(ScanRequest),
                sizeof(FreeRequest) + kMostRuns * sizeof(EntryRun),
                sizeof(DescribeReply) + kMostDescribed * sizeof(std::uint32_t),
                sizeof(ScanReply) + listed_keys(limits) * sizeof(ListedKey)});
  return std::max<std::size_t>(sizeof(rdma::MessageHeader) + longest, rdma::kLeastMessageBytes);
}

}  // namespace verbena::txn::nam
