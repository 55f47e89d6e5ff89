// GETs and PUTs of PRISM-RS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "txn/blocks/options.h"
#include "txn/blocks/replicas.h"
#include "txn/blocks/rs/rs_layout.h"
#include "txn/blocks/rs/rs_replica.h"
#include "txn/prism/operation.h"

namespace verbena::txn::blocks {

/// PRISM-RS (PRISM paper, section 7.1): ABD with several writers, of two phases, each of which asks
/// all replicas and ends when f + 1 of 2f + 1 have answered. The first READs tag and value, the
/// second one installs a version at each replica that has none as late: a GET's what it has read,
/// before it returns that, so that no later GET finds an older one; a PUT's its own, with a greater
/// tag than any that it has met. An operation is at the place of its tag in the order of all.
class RsOperation final : public prism::Operation {
 public:
  /// `number` of the client; `errands` and `reports` by place. All that is referred to must outlive
  /// this.
  RsOperation(rdma::Worker& worker, const Deployment& deployment, const RsLayout& layout,
              const Options& options, std::uint64_t number,
              const std::vector<std::shared_ptr<Errands>>& errands,
              std::deque<rdma::BufferReports>& reports, prism::WorkerMetrics& metrics);

  std::string waits_for() const override;

 protected:
  bool look_up() override;
  void install() override;

 private:
  void write(Tag tag, std::span<const std::byte> value, bool lasting);

  const RsLayout& layout_;
  const Options& options_;
  const std::uint64_t number_;
  Replicas replicas_;
  std::vector<std::shared_ptr<RsReplica>> asked_;  // [place]
  std::shared_ptr<Phase> current_;
  std::uint64_t metadata_at_ = 0;  // of the block
  Tag newest_;                     // that was read
};

}  // namespace verbena::txn::blocks
