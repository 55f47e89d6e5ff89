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

  bool by_nic = false;  ///< chains are carried out by the responder's NIC, not by its cores

  /// True for a chain of one operation of PRISM.
  bool is_chain() const;

  /// True for an operation of request and reply, which a core of the callee executes: rpc
  /// (datagrams), write-rpc (WRITEs into rings), and chains by cores.
  bool is_call() const;

  Keys keys() override;
  void set_defaults() override;
  void check(const Said& said) override;
};

}  // namespace verbena::experiments
