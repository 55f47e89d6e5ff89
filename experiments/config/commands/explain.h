// `verbena explain`, configured.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/config/keys/fabric_command.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::experiments {

struct ExplainCommand : FabricCommand {
  std::uint32_t payload = 64;
  rdma::Doorbell doorbell = rdma::Doorbell::kEach;
  bool inlined = false;
  std::string state = "warm";  ///< "warm", "qp-miss" or "cold"

  /// True of what a core of the callee does: a chain of one operation of PRISM.
  bool is_chain() const;

  /// A request and its reply: rpc by datagrams, write-rpc by WRITEs into rings, and chains.
  bool is_call() const;

  Keys keys() override;
  void set_defaults() override;
  void check(const Said& said) override;
};

}  // namespace verbena::experiments
