// Service of a memory server's CPU for compute servers: claims of keys, extents, scans, moves of
// old versions.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "rdma/rpc/rpc_handler.h"
#include "rdma/worker.h"
#include "txn/nam/index/collector.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/versions/overflow.h"

namespace verbena::txn::nam {

/// Serves the procedures of Method at one worker. Worker-local; the indexes are shared by all.
class Service {
 public:
  /// Installs the handlers. The service must live as long as the worker runs, and its arguments as
  /// long as the service. `collector`: null where no table is ordered; `overflow`: null where there
  /// is none. `claims` counts handlers that are claiming keys or allocating.
  Service(rdma::Worker& worker, IndexOf index_of, Collector* collector, Overflow* overflow,
          std::atomic<std::uint32_t>& claims);

 private:
  using Request = std::span<const std::byte>;

  void claim(NodeId caller, Request request, rdma::RpcReply& reply);
  void allocate(NodeId caller, Request request, rdma::RpcReply& reply);
  void free(NodeId caller, Request request);
  void scan(Request request, rdma::RpcReply& reply);
  void move(Request request, rdma::RpcReply& reply);
  void set_back(Request request);

  rdma::Worker& worker_;
  IndexOf index_of_;
  Collector* collector_;
  Overflow* overflow_;
  std::atomic<std::uint32_t>& claims_;
  std::vector<ListedKey> listed_;  // of a scan
};

}  // namespace verbena::txn::nam
