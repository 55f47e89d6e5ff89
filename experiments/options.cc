// Small derivations from options.
#include "experiments/options.h"

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
  std::vector<std::string> result;
  if (peers.empty()) return result;
  std::size_t begin = 0;
  for (std::size_t comma = peers.find(','); comma != std::string::npos;
       comma = peers.find(',', begin)) {
    result.push_back(peers.substr(begin, comma - begin));
    begin = comma + 1;
  }
  result.push_back(peers.substr(begin));
  return result;
}

}  // namespace verbena::experiments
