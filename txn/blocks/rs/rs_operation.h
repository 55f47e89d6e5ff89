// GETs and PUTs of PRISM-RS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "txn/blocks/options.h"
#include "txn/blocks/replicas.h"
#include "txn/blocks/rs/rs_layout.h"
#include "txn/blocks/rs/rs_replica.h"
#include "txn/prism/operation.h"

namespace verbena::txn::blocks {

/// Runs GETs and PUTs of PRISM-RS (PRISM paper, section 7.1): ABD with several writers. An
/// operation has two phases; each asks all replicas and ends when f + 1 of 2f + 1 have answered.
/// The first READs tag and value. The second installs a version at each replica that has only older
/// ones: a GET's result, before the GET returns, so that no later GET finds an older one; or a
/// PUT's value, with a greater tag than any that it has found. Tags order all operations.
class RsOperation final : public prism::Operation {
 public:
  /// `number`: of the client; `asked` and `errands`: by place. All references must outlive this.
  RsOperation(rdma::Worker& worker, const Deployment& deployment, const RsLayout& layout,
              const Options& options, std::uint64_t number,
              const std::vector<std::shared_ptr<RsReplica>>& asked,
              const std::vector<std::shared_ptr<Errands>>& errands, prism::WorkerMetrics& metrics);

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
  Tag newest_;                     // newest that was read
};

}  // namespace verbena::txn::blocks
