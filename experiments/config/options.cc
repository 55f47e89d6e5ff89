// Small derivations from options.
#include "experiments/config/options.h"

#include "rdma/base/split.h"

namespace verbena::experiments {

const char* command_name(Command command) {
  switch (command) {
    case Command::kRun:
      return "run";
    case Command::kBench:
      return "bench";
    case Command::kReproduce:
      return "reproduce";
    case Command::kExplain:
      return "explain";
    case Command::kList:
      return "list";
    case Command::kDoctor:
      return "doctor";
  }
  return "";
}

std::vector<std::string> Options::peer_list() const {
  return peers.empty() ? std::vector<std::string>{} : split(peers, ',');
}

}  // namespace verbena::experiments
