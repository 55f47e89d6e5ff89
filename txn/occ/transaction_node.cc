// A node's coordinators and services.
#include "txn/occ/transaction_node.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/occ/attempt/coordinator.h"
#include "txn/occ/log/past_logs.h"
#include "txn/occ/node/messages.h"
#include "txn/occ/node/node_sizes.h"
#include "txn/occ/transaction.h"

namespace verbena::txn::occ {
namespace {

// Settings that limit messages, as users know them.
constexpr const char* kMessageLimit = " (rdma.rpc_max_message_bytes, or the port's MTU)";

constexpr std::uint32_t round_up(std::uint32_t bytes, std::uint32_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

TransactionNode::TransactionNode(rdma::Endpoint& endpoint, const Schema& schema,
                                 const NodeOptions& options)
    : node_(endpoint, schema, options), state_(node_.store(), node_.schema()) {}

TransactionNode::~TransactionNode() = default;

void TransactionNode::begin_warm(const PastWrites& past) {
  past_logs_ =
      std::make_unique<PastLogs>(node_.schema(), node_.layout(), node_.log_layout(), past,
                                 PastLogs::Rules{.whole_log = node_.plan().whole_log,
                                                 .log_own_backups = node_.plan().log_own_backups,
                                                 .reclaimed_bytes = node_.reclaimed_bytes()});
  for (const auto& coordinator : coordinators_) coordinator->log_space().begin_with(*past_logs_);
  for (const auto& service : services_) service->begin_with(*past_logs_, node_.plan().log_again);
}

void TransactionNode::start() {
  assert(coordinators_.empty());
  rdma::Endpoint& endpoint = node_.endpoint();
  node_.check_peers();
  for (std::uint32_t i = 0; i < endpoint.workers(); ++i) {
    rdma::Worker& worker = endpoint.worker(static_cast<WorkerId>(i));
    coordinators_.push_back(std::make_unique<Coordinator>(node_, worker));
    services_.push_back(
        std::make_unique<Service>(node_, worker, coordinators_.back()->measurements()));
  }
  const std::size_t most = endpoint.worker(0).rpc().max_payload();
  const std::size_t scanned = sizeof(ScanReply) + node_.options().limits.scanned * sizeof(Key);
  if (scanned > most) {
    throw ConfigurationError("scans of " + std::to_string(node_.options().limits.scanned) +
                             " keys need messages of " + std::to_string(scanned) +
                             " bytes; allowed are " + std::to_string(most) + kMessageLimit);
  }
  const std::size_t longest =
      sizeof(GroupHeader) + sizeof(RecordUpdate) +
      round_up(largest_payload_in_messages(node_.schema(), node_.plan()), 8);
  if (longest > most) {
    throw ConfigurationError(
        "plan '" + node_.plan().name + "' sends records in messages: the largest needs " +
        std::to_string(longest) + " bytes; allowed are " + std::to_string(most) + kMessageLimit);
  }
}

std::unique_ptr<txn::Transaction> TransactionNode::transaction(WorkerId worker,
                                                               std::uint16_t fiber) {
  return std::make_unique<Transaction>(coordinator(worker), fiber);
}

std::vector<std::function<void()>> TransactionNode::background(WorkerId worker) {
  logs_applied_ = false;  // a phase begins
  if (node_.node() < node_.options().servers) return {};
  return {[&keeper = coordinator(worker).log_space()] { keeper.keep(); }};
}

Service::Applied TransactionNode::apply_logs() {
  Service::Applied all;
  for (const auto& service : services_) all.add(service->apply_at_rest());
  logs_applied_ = true;
  return all;
}

StateAtRest& TransactionNode::state() {
  if (!logs_applied_) apply_logs();
  return state_;
}

void TransactionNode::transactions_done(WorkerId worker) {
  coordinator(worker).log_space().transactions_done();
}

void TransactionNode::measure(WorkerId worker, Nanoseconds from, Nanoseconds until) {
  coordinator(worker).measurements().measure(from, until);
}

Metrics& TransactionNode::metrics(WorkerId worker) {
  return coordinator(worker).measurements().metrics();
}

const History* TransactionNode::history(WorkerId worker) const {
  return coordinators_[worker]->measurements().history();
}

}  // namespace verbena::txn::occ
