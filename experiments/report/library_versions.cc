// Mathematical functions, and the simulation's clock.
#include <gnu/libc-version.h>

#include "experiments/report/build_info.h"
#include "simnic/sim_fabric.h"

namespace verbena::experiments {

std::map<std::string, std::string> library_versions() {
  return {{"glibc", gnu_get_libc_version()}, {"simgrid", simnic::simgrid_version()}};
}

}  // namespace verbena::experiments
