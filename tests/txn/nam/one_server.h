// The rest of a memory server, for tests of a single part of it.
#pragma once

#include <utility>

#include "rdma/seam/core.h"
#include "txn/registry/load_system.h"
#include "txn/schema/table.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// A core on which nothing else runs, and time passes when it is told to.
class LoneCore final : public rdma::Core {
 public:
  LoneCore() : Core({}) {}
  Nanoseconds now() const override { return now_; }
  void give_way() override {}
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}
  void pass(Nanoseconds time) { now_ += time; }

 private:
  Nanoseconds now_ = 0;
};

/// A deployment on three nodes, one of which is a memory server.
inline Deployment deployment_of(Schema schema) {
  Deployment deployment{.schema = std::move(schema),
                        .limits = {},
                        .view = load_system("nam")->place({.nodes = 3, .replicas = 1}),
                        .fibers = 1};
  deployment.limits = TransactionLimits::any_of(deployment.schema, 8);
  return deployment;
}

}  // namespace verbena::txn::nam
