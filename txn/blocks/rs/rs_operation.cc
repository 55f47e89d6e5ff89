// Reading from a quorum of replicas, and writing to one.
#include "txn/blocks/rs/rs_operation.h"

#include <cstring>
#include <optional>
#include <span>

#include "rdma/base/cache_line.h"
#include "txn/blocks/rs/rs_measures.h"
#include "txn/waiting_text.h"

namespace verbena::txn::blocks {

RsOperation::RsOperation(rdma::Worker& worker, const Deployment& deployment, const RsLayout& layout,
                         const Options& options, std::uint64_t number,
                         const std::vector<std::shared_ptr<RsReplica>>& asked,
                         const std::vector<std::shared_ptr<Errands>>& errands,
                         prism::WorkerMetrics& metrics)
    : Operation(worker, deployment, metrics),
      layout_(layout),
      options_(options),
      number_(number),
      replicas_(errands, options.ask, number),
      asked_(asked) {}

std::string RsOperation::waits_for() const {
  if (current_ == nullptr || current_->over()) return {};
  return with_awaited("a quorum of replicas", current_->awaited());
}

bool RsOperation::look_up() {
  const std::optional<std::uint64_t> block = layout_.block(name().table, name().key);
  item().found = block.has_value();
  if (!block) return false;
  replicas_.begin_operation(*block);
  metadata_at_ = layout_.metadata_at(*block);
  const bool whole = !item().blind || options_.put_reads == PutReads::kBlock;
  const auto phase = std::make_shared<ReadPhase>(worker_, replicas_.nodes(), metadata_at_,
                                                 whole ? item().bytes : 0);
  current_ = phase;
  metrics_.count(worker_.now(), RsCounter::kReadPhases);
  replicas_.carry_out(phase, [&](std::uint32_t place) { return asked_[place]->reading(phase); });
  newest_ = phase->newest();
  if (item().blind) return true;
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(item().bytes));
  std::memcpy(item().payload, phase->value().data(), phase->value().size());
  if (options_.skip_write_back && phase->holders() >= replicas_.quorum()) return true;
  metrics_.count(worker_.now(), RsCounter::kWriteBacks);
  write(newest_, phase->value(), false);
  return true;
}

void RsOperation::install() {
  write(newest_.next(number_), std::span<const std::byte>(item().payload, item().bytes), true);
}

void RsOperation::write(Tag tag, std::span<const std::byte> value, bool lasting) {
  std::vector<std::byte> object(sizeof tag + value.size());
  std::memcpy(object.data(), &tag, sizeof tag);
  std::memcpy(object.data() + sizeof tag, value.data(), value.size());
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(object.size()));
  const auto phase = std::make_shared<RsWritePhase>(
      worker_, replicas_.nodes(), metadata_at_, layout_.list_of(name().table), std::move(object));
  current_ = phase;
  metrics_.count(worker_.now(), RsCounter::kWritePhases);
  replicas_.carry_out(phase,
                      [&](std::uint32_t place) { return asked_[place]->writing(phase, lasting); });
}

}  // namespace verbena::txn::blocks
