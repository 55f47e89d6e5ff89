// Points that somebody watches, and what a core does there.
#include "rdma/seam/core.h"

#include <csignal>

namespace verbena::rdma {

void Core::come_to(std::string_view point) {
  if (reached_ != nullptr) reached_->add(point);
  if (crash_ != nullptr && crash_->comes(point)) die(*crash_);
}

void Core::die(const CrashPoint& /*crash*/) { std::raise(SIGKILL); }

}  // namespace verbena::rdma
