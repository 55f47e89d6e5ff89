// Auditing a node's copies and comparing them over the cluster.
#include "workloads/run/audit.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "rdma/base/errors.h"
namespace verbena::workloads {
namespace {

// What nodes tell each other: totals, then their copies.
struct AuditMessage {
  std::int64_t initial_total;
  std::int64_t final_total;
  std::int64_t committed_change;
  std::uint64_t errors;
};

struct CopyMessage {
  std::uint64_t partition;
  std::uint64_t digest;
};

std::vector<std::byte> encode(const NodeAudit& audit) {
  const AuditMessage head{.initial_total = audit.initial_total,
                          .final_total = audit.final_total,
                          .committed_change = audit.committed_change,
                          .errors = audit.check.errors.size()};
  std::vector<std::byte> message(sizeof head + audit.check.copies.size() * sizeof(CopyMessage));
  std::memcpy(message.data(), &head, sizeof head);
  std::size_t at = sizeof head;
  for (const txn::SelfCheck::Copy& copy : audit.check.copies) {
    const CopyMessage told{.partition = copy.partition, .digest = copy.digest};
    std::memcpy(message.data() + at, &told, sizeof told);
    at += sizeof told;
  }
  return message;
}

// The digest of a node's copy of `partition`, if it told of one.
std::optional<std::uint64_t> digest_in(const std::vector<std::byte>& message,
                                       txn::PartitionId partition) {
  for (std::size_t at = sizeof(AuditMessage); at < message.size(); at += sizeof(CopyMessage)) {
    CopyMessage copy;
    std::memcpy(&copy, message.data() + at, sizeof copy);
    if (copy.partition == partition) return copy.digest;
  }
  return std::nullopt;
}

void compare_replicas(const txn::View& view, const std::vector<std::vector<std::byte>>& messages,
                      Verification& verification) {
  for (std::uint32_t p = 0; p < view.partitions(); ++p) {
    const auto partition = static_cast<txn::PartitionId>(p);
    const auto primary = digest_in(messages[view.primary(partition)], partition);
    for (const NodeId holder : view.backups(partition)) {
      const auto backup = digest_in(messages[holder], partition);
      if (primary && backup == primary) continue;
      verification.errors.push_back("node " + std::to_string(holder) +
                                    ": its backup of partition " + std::to_string(partition) +
                                    " differs from the primary copy");
    }
  }
}

// What a process published is gone with it, so each waits until all others have fetched it. A peer
// that is gone already has seen that this one was done.
void leave_together(rdma::Rendezvous& rendezvous, const std::string& label, std::uint32_t nodes,
                    const std::vector<NodeId>& hosted, const std::vector<NodeId>& lost) {
  constexpr Nanoseconds kPatience = 2 * kSecond;
  for (const NodeId node : hosted) rendezvous.publish(node, label + " done", {});
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (std::ranges::find(lost, static_cast<NodeId>(node)) != lost.end()) continue;
    try {
      rendezvous.fetch(static_cast<NodeId>(node), label + " done", kPatience);
    } catch (const PeerMissing&) {
    }
  }
}

}  // namespace

void add_totals(txn::StateAtRest& state, txn::PartitionId partition, const Workload& workload,
                NodeAudit& audit) {
  for (std::size_t i = 0; i < workload.schema().size(); ++i) {
    const txn::TableDefinition& definition = workload.schema()[i];
    const auto table = static_cast<txn::TableId>(i);
    std::vector<std::byte> initial(definition.payload_bytes);
    state.visit_changed(table, partition,
                        [&](txn::Key key, bool present, std::span<const std::byte> payload) {
                          if (present) audit.final_total += workload.amount(table, payload);
                          if (!definition.initial_index(key)) return;
                          std::fill(initial.begin(), initial.end(), std::byte{0});
                          if (definition.load) definition.load(partition, key, initial);
                          audit.initial_total += workload.amount(table, initial);
                        });
  }
}

NodeAudit audit_node(txn::StateAtRest& state, const txn::View& view, NodeId node,
                     const Workload& workload, std::int64_t committed_change) {
  NodeAudit audit{.check = state.self_check(), .committed_change = committed_change};
  for (const txn::PartitionId partition : view.primaries(node)) {
    add_totals(state, partition, workload, audit);
    const std::vector<std::string> found = workload.inconsistencies(partition, state);
    audit.check.errors.insert(audit.check.errors.end(), found.begin(), found.end());
  }
  return audit;
}

Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::View& view, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, const std::vector<NodeId>& lost,
                            Nanoseconds timeout) {
  Verification verification;
  verification.checked = true;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    rendezvous.publish(hosted[i], label, encode(audits[i]));
    verification.records_checked += audits[i].check.records;
    verification.errors.insert(verification.errors.end(), audits[i].check.errors.begin(),
                               audits[i].check.errors.end());
  }
  std::vector<std::vector<std::byte>> messages;
  for (std::uint32_t node = 0; node < view.nodes(); ++node) {
    if (std::ranges::find(lost, static_cast<NodeId>(node)) != lost.end()) {
      messages.emplace_back();
      continue;
    }
    messages.push_back(rendezvous.fetch(static_cast<NodeId>(node), label, timeout));
    AuditMessage head;
    std::memcpy(&head, messages.back().data(), sizeof head);
    verification.initial_total += head.initial_total;
    verification.final_total += head.final_total;
    verification.committed_change += head.committed_change;
    const bool here = std::find(hosted.begin(), hosted.end(), node) != hosted.end();
    if (head.errors > 0 && !here) {
      verification.errors.push_back("node " + std::to_string(node) + " reports " +
                                    std::to_string(head.errors) + " wrong records");
    }
  }
  if (hosted.size() < view.nodes()) leave_together(rendezvous, label, view.nodes(), hosted, lost);
  compare_replicas(view, messages, verification);
  if (lost.empty() &&
      verification.final_total - verification.initial_total != verification.committed_change) {
    verification.errors.push_back(
        "total changed by " +
        std::to_string(verification.final_total - verification.initial_total) +
        ", but committed transactions changed it by " +
        std::to_string(verification.committed_change));
  }
  return verification;
}

}  // namespace verbena::workloads
