// Options of systems whose servers carry out chains.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "txn/apart_workers.h"
#include "txn/prism/deaths/death_options.h"

namespace verbena::txn::prism {

/// Choices of users about servers, the buffers that these keep, and who of their clients is dead.
struct ServerOptions {
  std::uint32_t servers = 0;  ///< nodes that keep objects; 0: half of all
  ApartWorkers workers = {};
  std::uint32_t spares = 64;    ///< buffers without object that lists begin with, per client
  std::uint32_t low_water = 0;  ///< with fewer, a list is given more; 0: a quarter of its spares
  DeathOptions deaths = {};
};

/// The parameters of servers, their threads, and the silence of clients, of section "prism".
std::vector<Parameter> server_parameters(ServerOptions& options);

/// The parameters of buffers, likewise.
std::vector<Parameter> buffer_parameters(ServerOptions& options);

}  // namespace verbena::txn::prism
