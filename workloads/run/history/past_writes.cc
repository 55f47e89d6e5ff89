// A client's transactions, tried out.
#include "workloads/run/history/past_writes.h"

#include "rdma/base/random.h"
#include "workloads/run/history/trial_transaction.h"

namespace verbena::workloads {
namespace {

/// Transactions that are tried: enough to have all kinds among them as often as runs do.
constexpr int kTrials = 1000;

}  // namespace

txn::PastWrites past_writes(const Workload& workload, const txn::View& view, rdma::Worker& worker,
                            std::uint64_t seed) {
  NodeId node = 0;
  while (!view.computes(node)) node = static_cast<NodeId>(node + 1);
  txn::PastWrites past{
      .seed = mix64(seed), .transactions = {}, .home = view.home(node, 0).partition};
  const auto client = workload.make_client({.home = past.home}, Random(mix64(past.seed)));
  TrialTransaction transaction(worker, workload.schema());
  for (int trial = 0; trial < kTrials; ++trial) {
    client->next();
    client->execute(transaction);
    if (!transaction.written().empty()) past.transactions.push_back(transaction.written());
  }
  return past;
}

}  // namespace verbena::workloads
