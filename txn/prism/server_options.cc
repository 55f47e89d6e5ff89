// Names and limits of the options.
#include "txn/prism/server_options.h"

#include <utility>

namespace verbena::txn::prism {

std::vector<Parameter> server_parameters(ServerOptions& options) {
  std::vector<Parameter> all = {
      {.name = "servers",
       .help = "nodes that keep objects, the first ones; others run transactions; 0: half of all "
               "nodes",
       .target = &options.servers,
       .maximum = 65'535}};
  for (Parameter& one : worker_parameters(options.workers)) all.push_back(std::move(one));
  for (Parameter& one : death_parameters(
           options.deaths, "prism", "a client that has been silent for so long counts as dead")) {
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Parameter> buffer_parameters(ServerOptions& options) {
  return {{.name = "spares",
           .help = "buffers without an object that each free list begins with, for each coroutine "
                   "of the cluster",
           .target = &options.spares,
           .minimum = 1,
           .maximum = 100'000},
          {.name = "low_water",
           .help = "number of free buffers below which a server adds those kept for new keys; 0: a "
                   "quarter of the spare ones",
           .target = &options.low_water,
           .maximum = 1e9},
          without_parameter(options.without)};
}

}  // namespace verbena::txn::prism
