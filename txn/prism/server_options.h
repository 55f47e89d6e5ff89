// Options of systems whose servers carry out chains.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/parameter.h"
#include "txn/apart_workers.h"
#include "txn/prism/access/without.h"
#include "txn/prism/deaths/death_options.h"

namespace verbena::txn::prism {

/// Users' choices about servers, their buffers, and the detection of dead clients.
struct ServerOptions {
  std::uint32_t servers = 0;  ///< nodes that keep objects; 0: half of all
  ApartWorkers workers = {};
  std::uint32_t spares = 64;    ///< buffers without object at the start of a list, per client
  std::uint32_t low_water = 0;  ///< a list with fewer is given more; 0: a quarter of its spares
  DeathOptions deaths = {};
  Without without = Without::kNothing;  ///< extension that NICs lack
};

/// Returns the parameters of servers, their threads, and clients' silence, of section "prism".
std::vector<Parameter> server_parameters(ServerOptions& options);

/// Returns the parameters of buffers, and of operations on them, likewise.
std::vector<Parameter> buffer_parameters(ServerOptions& options);

}  // namespace verbena::txn::prism
