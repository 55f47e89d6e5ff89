// Filling chains.
#include "txn/prism_tx/attempt/server_chains.h"

#include <algorithm>

#include "rdma/chain/chain_message.h"
#include "rdma/rpc/rpc.h"

namespace verbena::txn::prism_tx {
namespace {

/// The region of objects is a server's first.
constexpr RegionId kObjects{0};

}  // namespace

ServerChains::Chain& ServerChains::chain_with_room(NodeId server, const Chain& more) {
  const auto begin = [&](Chain& chain) {
    asked_.push_back(server);
    chain = {.server = server,
             .id = batch_.chain(server, kObjects),
             .operations = 0,
             .request_bytes = rdma::kChainHeaderBytes,
             .reply_bytes = 0};
  };
  auto found = std::ranges::find(chains_, server, &Chain::server);
  if (found == chains_.end()) {
    chains_.push_back({});
    found = std::prev(chains_.end());
    begin(*found);
  } else if (found->operations + more.operations > rdma::kMostOperations ||
             found->request_bytes + more.request_bytes > rpc_.max_payload() ||
             found->reply_bytes + more.reply_bytes > rpc_.max_payload()) {
    begin(*found);
  }
  return *found;
}

rdma::OpId ServerChains::add(NodeId server, std::span<const rdma::Operation> operations) {
  Chain more{.server = server,
             .id = {},
             .operations = operations.size(),
             .request_bytes = 0,
             .reply_bytes = 0};
  for (const rdma::Operation& one : operations) {
    more.request_bytes += rdma::request_bytes(one);
    more.reply_bytes += rdma::most_reply_bytes(one);
  }
  Chain& chain = chain_with_room(server, more);
  chain.operations += more.operations;
  chain.request_bytes += more.request_bytes;
  chain.reply_bytes += more.reply_bytes;
  const rdma::OpId first = batch_.add(chain.id, operations.front());
  for (const rdma::Operation& one : operations.subspan(1)) batch_.add(chain.id, one);
  return first;
}

void ServerChains::carry_out() {
  batch_.post();
  batch_.wait();
}

void ServerChains::clear() {
  batch_.clear();
  chains_.clear();
  asked_.clear();
}

}  // namespace verbena::txn::prism_tx
