// GETs and PUTs of Pilaf.
#pragma once

#include <cstddef>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "txn/kv/measures.h"
#include "txn/kv/pilaf_layout.h"
#include "txn/prism/operation.h"

namespace verbena::txn::kv {

/// Pilaf (C. Mitchell, Y. Geng, J. Li: USENIX ATC 2013), as the PRISM paper compares itself with it
/// (section 6.2). A GET READs the entry and then the object, and both again until their CRCs are
/// right, since the server's CPUs write them meanwhile. A PUT is a call, and replaces the object
/// whatever it was. Keys are those that were loaded.
class PilafOperation final : public prism::Operation {
 public:
  /// Takes scratch_bytes() of the worker's memory.
  PilafOperation(rdma::Worker& worker, const Deployment& deployment, const PilafLayout& layout,
                 WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const PilafLayout& layout);
  /// Bytes of the longest message of operations on any table, without the RPC's own header.
  static std::size_t message_bytes(const PilafLayout& layout);

 protected:
  bool look_up() override;
  void install() override;

 private:
  bool read(std::uint64_t entry_at);

  const PilafLayout& layout_;
  rdma::RequestBatch requests_;
  rdma::RpcBatch call_;
  std::span<std::byte> entry_;
  std::span<std::byte> object_;
};

}  // namespace verbena::txn::kv
