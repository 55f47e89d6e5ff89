// Edges between those who read and wrote the same record.
#include "txn/check/anomalies/attempt_graph.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "txn/check/anomalies/precedence_graph.h"
#include "txn/check/anomalies/scanned_keys.h"

namespace verbena::txn {
namespace {

using Node = AttemptGraph::Node;

// Producers that are no attempt.
constexpr Node kLoaded = UINT32_MAX;
constexpr Node kNobody = UINT32_MAX - 1;

bool is_node(Node producer) { return producer < kNobody; }

}  // namespace

AttemptGraph::AttemptGraph(std::span<const ClientHistory* const> histories,
                           const InitialValues& initial, std::span<const RecordName> scanned) {
  for (const ClientHistory* history : histories) collect(*history);
  for (Node node = 0; node < members_.size(); ++node) collect_left_out(node, scanned);
  std::ranges::stable_sort(uses_, {},
                           [](const Use& use) { return std::pair(use.record, use.when); });
  for (std::size_t first = 0; first < uses_.size();) {
    std::size_t end = first;
    while (end < uses_.size() && uses_[end].record == uses_[first].record) ++end;
    connect(std::span(uses_).subspan(first, end - first), initial);
    first = end;
  }
  std::ranges::sort(edges_, {}, [](const Edge& e) { return std::tuple(e.from, e.to, e.why); });
}

void AttemptGraph::collect(const ClientHistory& history) {
  for (const ClientAttempt& attempt : history.attempts) {
    const bool committed = attempt.outcome == Outcome::kCommitted;
    if (!committed && attempt.outcome != Outcome::kRolledBack) continue;
    const auto node = static_cast<Node>(members_.size());
    members_.push_back({&history, &attempt});
    for (const ClientAccess& access : history.accesses(attempt)) {
      if (!access.fetched && !access.writes) continue;
      uses_.push_back({.record = access.record,
                       .when = attempt.placed != kBeforeAll ? attempt.placed : attempt.ended,
                       .node = node,
                       .reads = access.fetched,
                       .read = access.read,
                       .written = access.written,
                       .writes = committed && access.writes,
                       .scanned = false,
                       .producer = kNobody});
    }
  }
}

// Adds what a scan left out: it has read that as absent.
void AttemptGraph::collect_left_out(Node node, std::span<const RecordName> records) {
  const auto& [history, attempt] = members_[node];
  for (const ClientScan& scan : history->scans(*attempt)) {
    const auto keys = history->keys(scan);
    const auto range = covered(scan, keys);
    for (const RecordName& record : records) {
      if (!range || record.table != scan.table || record.partition != scan.partition ||
          record.key < range->first || record.key > range->second ||
          std::ranges::find(keys, record.key) != keys.end()) {
        continue;
      }
      uses_.push_back({.record = record,
                       .when = attempt->placed != kBeforeAll ? attempt->placed : attempt->ended,
                       .node = node,
                       .reads = true,
                       .read = kAbsentValue,
                       .written = kAbsentValue,
                       .writes = false,
                       .scanned = true,
                       .producer = kNobody});
    }
  }
}

void AttemptGraph::find_producers(std::span<Use> uses, const InitialValues& initial) {
  const ValueDigest loaded = initial.of(uses.front().record);
  std::vector<const Use*> writers;
  for (const Use& use : uses) {
    if (use.writes) writers.push_back(&use);
  }
  const auto value_of = [](const Use* writer) { return writer->written; };
  std::ranges::stable_sort(writers, {}, value_of);
  for (Use& use : uses) {
    if (!use.reads) continue;
    const auto candidates = std::ranges::equal_range(writers, use.read, {}, value_of);
    if (candidates.empty() && use.read == loaded) use.producer = kLoaded;
    if (candidates.size() != 1 || use.read == loaded) continue;
    if (candidates.front()->node != use.node) use.producer = candidates.front()->node;
  }
}

void AttemptGraph::connect(std::span<Use> uses, const InitialValues& initial) {
  if (std::ranges::none_of(uses, &Use::writes)) return;
  find_producers(uses, initial);
  std::vector<const Use*> by_producer;
  for (const Use& use : uses) {
    if (is_node(use.producer)) {
      add(use.producer, use.node, use.writes ? Precedence::kWriteWrite : Precedence::kWriteRead,
          use, use.read);
    }
    if (use.producer != kNobody) by_producer.push_back(&use);
  }
  std::ranges::stable_sort(by_producer, {}, [](const Use* use) { return use->producer; });
  for (std::size_t first = 0; first < by_producer.size();) {
    std::size_t end = first;
    while (end < by_producer.size() && by_producer[end]->producer == by_producer[first]->producer) {
      ++end;
    }
    const Use* before = nullptr;  // the last that replaced the value
    for (std::size_t i = first; i < end; ++i) {
      const Use& writer = *by_producer[i];
      if (!writer.writes) continue;
      for (std::size_t reader = first; reader < end; ++reader) {
        const Use& use = *by_producer[reader];
        if (use.node != writer.node) {
          add(use.node, writer.node, Precedence::kReadWrite, use, use.read);
        }
      }
      if (before != nullptr) {
        add(before->node, writer.node, Precedence::kWriteWrite, *before, before->written);
      }
      before = &writer;
    }
    first = end;
  }
}

void AttemptGraph::add(Node from, Node to, Precedence why, const Use& use, ValueDigest value) {
  edges_.push_back({.from = from,
                    .to = to,
                    .why = why,
                    .record = use.record,
                    .value = value,
                    .scanned = use.scanned});
}

std::vector<AttemptGraph::Node> AttemptGraph::shortest_cycle(bool in_time) const {
  PrecedenceGraph::Edges edges;
  edges.reserve(edges_.size());
  for (const Edge& edge : edges_) edges.emplace_back(edge.from, edge.to);
  std::vector<Interval> intervals;
  if (in_time) intervals.reserve(members_.size());
  for (const Member& member : members_) {
    if (!in_time) break;
    intervals.push_back({.begin = static_cast<std::int64_t>(member.attempt->began),
                         .end = static_cast<std::int64_t>(member.attempt->ended)});
  }
  return PrecedenceGraph(static_cast<Node>(members_.size()), std::move(edges), std::move(intervals))
      .shortest_cycle();
}

AnomalyEdge AttemptGraph::edge(Node from, Node to) const {
  const auto place = [](const Edge& edge) { return std::pair(edge.from, edge.to); };
  const auto found = std::ranges::lower_bound(edges_, std::pair(from, to), {}, place);
  if (found == edges_.end() || place(*found) != std::pair(from, to)) return {};
  return {
      .why = found->why, .record = found->record, .value = found->value, .scanned = found->scanned};
}

AnomalousAttempt AttemptGraph::attempt(Node node) const {
  const auto& [history, attempt] = members_[node];
  const auto accesses = history->accesses(*attempt);
  return {.attempt = *attempt, .accesses = {accesses.begin(), accesses.end()}};
}

}  // namespace verbena::txn
