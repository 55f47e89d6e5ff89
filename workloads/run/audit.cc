// Auditing a node's copies and comparing them over the cluster.
#include "workloads/run/audit.h"

#include <algorithm>
#include <optional>
#include <span>

#include "rdma/base/errors.h"
#include "rdma/base/message_io.h"

namespace verbena::workloads {
namespace {

// A node's message to the others: totals, then its copies, commits, and what is published.
struct AuditMessage {
  std::int64_t initial_total;
  std::int64_t final_total;
  std::int64_t committed_change;
  std::uint64_t errors;
  std::uint64_t copies;
  std::uint64_t commits;
  std::uint64_t published;
};

struct CopyMessage {
  std::uint64_t partition;
  std::uint64_t digest;
};

struct CommitMessage {
  std::uint32_t slot;
  std::uint32_t count;
  std::uint32_t last;
};

std::vector<std::byte> encode(const NodeAudit& audit) {
  const txn::SelfCheck& check = audit.check;
  const AuditMessage head{.initial_total = audit.initial_total,
                          .final_total = audit.final_total,
                          .committed_change = audit.committed_change,
                          .errors = check.errors.size(),
                          .copies = check.copies.size(),
                          .commits = check.commits.size(),
                          .published = audit.published.size()};
  std::vector<std::byte> message(sizeof head + head.copies * sizeof(CopyMessage) +
                                 head.commits * sizeof(CommitMessage) +
                                 head.published * sizeof(std::uint32_t));
  MessageWriter writer(message);
  writer.put(head);
  for (const txn::SelfCheck::Copy& copy : check.copies) {
    writer.put(CopyMessage{.partition = copy.partition, .digest = copy.digest});
  }
  for (const txn::SelfCheck::Commit& commit : check.commits) {
    writer.put(
        CommitMessage{.slot = commit.slot, .count = commit.count, .last = commit.last ? 1U : 0U});
  }
  for (const std::uint32_t count : audit.published) writer.put(count);
  return message;
}

// The message of another node; nothing, of one that was lost.
struct Told {
  AuditMessage head{};
  std::vector<CopyMessage> copies;
  std::vector<CommitMessage> commits;
  std::vector<std::uint32_t> published;
};

Told decode(const std::vector<std::byte>& message) {
  Told told;
  MessageReader reader(message);
  told.head = reader.take<AuditMessage>();
  for (std::uint64_t i = 0; i < told.head.copies; ++i) {
    told.copies.push_back(reader.take<CopyMessage>());
  }
  for (std::uint64_t i = 0; i < told.head.commits; ++i) {
    told.commits.push_back(reader.take<CommitMessage>());
  }
  for (std::uint64_t i = 0; i < told.head.published; ++i) {
    told.published.push_back(reader.take<std::uint32_t>());
  }
  return told;
}

// The digest of a node's copy of `partition`, if it told of one.
std::optional<std::uint64_t> digest_in(const Told& told, txn::PartitionId partition) {
  const auto copy = std::ranges::find_if(
      told.copies, [&](const CopyMessage& one) { return one.partition == partition; });
  return copy == told.copies.end() ? std::nullopt : std::optional(copy->digest);
}

// Nobody else tells of them where the vector is told in parts, or not at all.
void compare_commits(const std::vector<Told>& nodes, Verification& verification) {
  constexpr std::size_t kMostErrors = 10;
  const auto oracle =
      std::ranges::find_if(nodes, [](const Told& told) { return !told.published.empty(); });
  if (oracle == nodes.end()) return;
  std::vector<std::string> errors;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const CommitMessage& one : nodes[node].commits) {
      const bool known = one.slot < oracle->published.size();
      const std::uint32_t published = known ? oracle->published[one.slot] : 0;
      if (one.count == published || (one.count < published && one.last == 0)) continue;
      errors.push_back("node " + std::to_string(node) + ": " +
                       (one.last == 0 ? "a record is of" : "a journal ends with") + " commit " +
                       std::to_string(one.count) + " of slot " + std::to_string(one.slot) +
                       ", of which " + std::to_string(published) + " are published");
    }
  }
  errors.resize(std::min(errors.size(), kMostErrors));
  verification.errors.insert(verification.errors.end(), errors.begin(), errors.end());
}

// Systems with quorums whose copies need not be equal tell of none.
void compare_replicas(const txn::View& view, const std::vector<Told>& nodes, bool quorums,
                      Verification& verification) {
  for (std::uint32_t p = 0; p < view.partitions(); ++p) {
    const auto partition = static_cast<txn::PartitionId>(p);
    const auto primary = digest_in(nodes[view.primary(partition)], partition);
    for (const NodeId holder : view.backups(partition)) {
      const auto backup = digest_in(nodes[holder], partition);
      if (backup == primary && (primary || quorums)) continue;
      verification.errors.push_back("node " + std::to_string(holder) +
                                    ": its backup of partition " + std::to_string(partition) +
                                    " differs from the primary copy");
    }
  }
}

// Waits until all others have fetched what this process published, which is gone with it. A peer
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

NodeAudit audit_node(txn::StateAtRest& state, txn::StateAtRest& records, const txn::View& view,
                     NodeId node, const Workload& workload, std::int64_t committed_change) {
  NodeAudit audit{.check = state.self_check(),
                  .published = state.published(),
                  .committed_change = committed_change};
  for (const txn::PartitionId partition : view.primaries(node)) {
    add_totals(records, partition, workload, audit);
    if (audit.check.undecided > 0 && workload.relates_records()) continue;
    const std::vector<std::string> found = workload.inconsistencies(partition, records);
    audit.check.errors.insert(audit.check.errors.end(), found.begin(), found.end());
  }
  return audit;
}

Verification compare_audits(rdma::Rendezvous& rendezvous, const std::string& label,
                            const txn::View& view, const std::vector<NodeId>& hosted,
                            const std::vector<NodeAudit>& audits, const std::vector<NodeId>& lost,
                            Nanoseconds timeout, bool quorums) {
  Verification verification;
  verification.checked = true;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    rendezvous.publish(hosted[i], label, encode(audits[i]));
    verification.records_checked += audits[i].check.records;
    verification.undecided += audits[i].check.undecided;
    verification.errors.insert(verification.errors.end(), audits[i].check.errors.begin(),
                               audits[i].check.errors.end());
  }
  std::vector<Told> nodes;
  for (std::uint32_t node = 0; node < view.nodes(); ++node) {
    if (std::ranges::find(lost, static_cast<NodeId>(node)) != lost.end()) {
      nodes.emplace_back();
      continue;
    }
    nodes.push_back(decode(rendezvous.fetch(static_cast<NodeId>(node), label, timeout)));
    const AuditMessage& head = nodes.back().head;
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
  compare_replicas(view, nodes, quorums, verification);
  compare_commits(nodes, verification);
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
