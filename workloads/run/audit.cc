// Auditing a node's copies and comparing them over the cluster.
#include "workloads/run/audit.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/errors.h"
#include "workloads/run/table_audit.h"

namespace verbena::workloads {
namespace {

// What nodes tell each other: totals, then the copies' digests.
struct AuditMessage {
  std::int64_t initial_total;
  std::int64_t final_total;
  std::int64_t committed_change;
  std::uint64_t errors;
};

std::vector<std::byte> encode(const NodeAudit& audit) {
  const AuditMessage head{.initial_total = audit.initial_total,
                          .final_total = audit.final_total,
                          .committed_change = audit.committed_change,
                          .errors = audit.errors.size()};
  std::vector<std::byte> message(sizeof head + audit.copy_digests.size() * sizeof(std::uint64_t));
  std::memcpy(message.data(), &head, sizeof head);
  std::memcpy(message.data() + sizeof head, audit.copy_digests.data(),
              message.size() - sizeof head);
  return message;
}

std::uint64_t digest_in(const std::vector<std::byte>& message, txn::CopyId copy) {
  std::uint64_t digest;
  std::memcpy(&digest, message.data() + sizeof(AuditMessage) + copy * sizeof digest, sizeof digest);
  return digest;
}

void compare_replicas(const txn::Placement& placement,
                      const std::vector<std::vector<std::byte>>& messages,
                      Verification& verification) {
  for (std::uint32_t partition = 0; partition < placement.nodes; ++partition) {
    for (txn::CopyId copy = 1; copy < placement.replicas; ++copy) {
      const NodeId holder = placement.holder(static_cast<NodeId>(partition), copy);
      if (digest_in(messages[holder], copy) == digest_in(messages[partition], 0)) continue;
      verification.errors.push_back("node " + std::to_string(holder) +
                                    ": its backup of partition " + std::to_string(partition) +
                                    " differs from the primary copy");
    }
  }
}

// What a process published is gone with it, so each waits until all others have fetched it. A peer
// that is gone already has seen that this one was done.
void leave_together(rdma::Rendezvous& rendezvous, const std::string& label, std::uint32_t nodes,
                    const std::vector<NodeId>& hosted) {
  constexpr Nanoseconds kPatience = 2 * kSecond;
  for (const NodeId node : hosted) rendezvous.publish(node, label + " done", {});
  for (std::uint32_t node = 0; node < nodes; ++node) {
    try {
      rendezvous.fetch(static_cast<NodeId>(node), label + " done", kPatience);
    } catch (const PeerMissing&) {
    }
  }
}

}  // namespace

NodeAudit audit_store(txn::Store& store, const Workload& workload, std::int64_t committed_change) {
  NodeAudit audit;
  audit.committed_change = committed_change;
  audit.copy_digests.resize(store.layout().placement().replicas);
  for (txn::CopyId copy = 0; copy < store.layout().placement().replicas; ++copy) {
    for (std::uint32_t table = 0; table < store.layout().tables(); ++table) {
      TableAudit(store, workload, copy, static_cast<txn::TableId>(table), audit).run();
    }
  }
  const std::vector<std::string> inconsistencies = workload.inconsistencies(store.node(), store);
  audit.errors.insert(audit.errors.end(), inconsistencies.begin(), inconsistencies.end());
  return audit;
}

Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::Placement& placement, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, Nanoseconds timeout) {
  Verification verification;
  verification.checked = true;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    rendezvous.publish(hosted[i], label, encode(audits[i]));
    verification.records_checked += audits[i].records;
    verification.errors.insert(verification.errors.end(), audits[i].errors.begin(),
                               audits[i].errors.end());
  }
  std::vector<std::vector<std::byte>> messages;
  for (std::uint32_t node = 0; node < placement.nodes; ++node) {
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
  if (hosted.size() < placement.nodes) leave_together(rendezvous, label, placement.nodes, hosted);
  compare_replicas(placement, messages, verification);
  if (verification.final_total - verification.initial_total != verification.committed_change) {
    verification.errors.push_back(
        "total changed by " +
        std::to_string(verification.final_total - verification.initial_total) +
        ", but committed transactions changed it by " +
        std::to_string(verification.committed_change));
  }
  return verification;
}

}  // namespace verbena::workloads
