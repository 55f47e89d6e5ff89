// Replaying now and then, and at the end.
#include "workloads/run/history/history_check.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "txn/check/checkers.h"

namespace verbena::workloads {
namespace {

/// Attempts between replays.
constexpr std::uint64_t kBatch = 4096;

/// Records whose values are compared in the end.
constexpr std::size_t kComparedAtOnce = 64;

/// The moments of a node.
class NodeMoments final : public txn::MomentSource {
 public:
  NodeMoments(const HistoryCheck::MomentsOf& moments, NodeId node)
      : moments_(moments), node_(node) {}
  txn::Moment next() override { return moments_(node_); }

 private:
  const HistoryCheck::MomentsOf& moments_;
  NodeId node_;
};

std::vector<std::uint32_t> published_by(const txn::View& view, const HistoryCheck::StateOf& state) {
  std::vector<std::uint32_t> published;
  for (std::uint32_t n = 0; n < view.nodes() && published.empty(); ++n) {
    published = state(static_cast<NodeId>(n)).published();
  }
  return published;
}

}  // namespace

HistoryCheck::HistoryCheck(const txn::Schema& schema, const txn::SystemInfo& system,
                           MomentsOf moments)
    : schema_(schema), moments_of_(std::move(moments)), check_(txn::make_checker(schema, system)) {}

txn::ClientRecorder& HistoryCheck::add_client(const txn::ClientId& client) {
  txn::ClientHistory& history = histories_.emplace_back();
  moments_.push_back(std::make_unique<NodeMoments>(moments_of_, client.node));
  return clients_.emplace_back(client, *moments_.back(), history);
}

void HistoryCheck::follow(txn::Moment now) {
  std::size_t ended = 0;
  for (const txn::ClientHistory& history : histories_) ended += history.attempts.size();
  if (ended < kBatch) return;
  take_histories();
  for (const txn::ClientRecorder& client : clients_) now = std::min(now, client.began());
  check_->replay(now);
}

// The fabric, whose moments they had, may be gone by now.
void HistoryCheck::end_run() {
  for (txn::ClientRecorder& client : clients_) client.end_run(after_run_);
}

void HistoryCheck::take_histories() {
  for (txn::ClientHistory& history : histories_) check_->add(std::exchange(history, {}));
}

void HistoryCheck::keep_published(const txn::View& view, const StateOf& state) {
  end_run();
  const std::vector<std::uint32_t> published = published_by(view, state);
  for (txn::ClientRecorder& client : clients_) client.keep(published);
}

// Ends attempts of nodes that died, which have not ended: the system knows what became of them.
void HistoryCheck::lose_clients(const txn::View& view, const StateOf& state) {
  end_run();
  const std::vector<std::uint32_t> published = published_by(view, state);
  for (txn::ClientRecorder& client : clients_) client.lose(published);
}

void HistoryCheck::finish(const txn::View& view, const StateOf& state) {
  lose_clients(view, state);
  take_histories();
  check_->finish();
  std::vector<txn::HistoryChecker::FinalValue> found;
  found.reserve(kComparedAtOnce);
  const auto compare = [&](const txn::RecordName& record, txn::ValueDigest value) {
    found.push_back({.record = record, .value = value});
    if (found.size() < kComparedAtOnce) return;
    check_->compare_final(found);
    found.clear();
  };
  std::vector<std::byte> payload;
  check_->visit_records([&](const txn::RecordName& record) {
    payload.resize(schema_[record.table].payload_bytes);
    const bool present = state(view.primary(record.partition)).get(record, payload);
    compare(record, present ? txn::digest_of(payload) : txn::kAbsentValue);
  });
  for (std::uint32_t p = 0; p < view.partitions(); ++p) {
    const auto partition = static_cast<txn::PartitionId>(p);
    for (std::size_t t = 0; t < schema_.size(); ++t) {
      const auto table = static_cast<txn::TableId>(t);
      // Numbers are drawn by whom no history tells: see Workload::amount.
      if (schema_[t].drawn()) continue;
      state(view.primary(partition))
          .visit_changed(table, partition,
                         [&](txn::Key key, bool present, std::span<const std::byte> value) {
                           compare({.table = table, .partition = partition, .key = key},
                                   present ? txn::digest_of(value) : txn::kAbsentValue);
                         });
    }
  }
  check_->compare_final(found);
}

}  // namespace verbena::workloads
