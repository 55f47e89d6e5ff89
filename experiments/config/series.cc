// Finding lists, and all combinations of their values.
#include "experiments/config/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/split.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kMostMeasurements = 1000;

// What is the same for all measurements of a process, and what has commas of its own.
constexpr std::array<std::string_view, 11> kNoLists = {
    "fabric",           "json",     "node",     "peers", "device", "port", "gid-index",
    "bring-up-timeout", "topology", "platform", "trace"};

bool is_list(const Assignment& assignment) {
  const bool path = assignment.value.find('/') != std::string::npos;
  return !path && assignment.value.find(',') != std::string::npos &&
         std::find(kNoLists.begin(), kNoLists.end(), assignment.key) == kNoLists.end();
}

template <typename Visit>
void for_each_assignment(CommandLine& line, Visit&& visit) {
  for (auto* layer : {&line.config, &line.flags, &line.sets}) {
    for (Assignment& assignment : *layer) visit(assignment);
  }
}

using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Those that no later layer replaces by a single value.
Lists effective_lists(CommandLine line) {
  Lists lists;
  for_each_assignment(line, [&](const Assignment& assignment) {
    const auto known = std::find_if(lists.begin(), lists.end(),
                                    [&](const auto& list) { return list.first == assignment.key; });
    if (!is_list(assignment)) {
      if (known != lists.end()) lists.erase(known);
    } else if (known != lists.end()) {
      known->second = split(assignment.value, ',');
    } else {
      lists.emplace_back(assignment.key, split(assignment.value, ','));
    }
  });
  std::sort(lists.begin(), lists.end());
  return lists;
}

}  // namespace

Series expand_lists(const CommandLine& line) {
  Series series;
  if (line.command != Command::kBench) {
    series.lines.push_back(line);
    return series;
  }
  const Lists lists = effective_lists(line);
  std::size_t count = 1;
  for (const auto& [key, values] : lists) {
    series.lists[key] = fmt::format("{}", fmt::join(values, ","));
    count *= values.size();
    if (count > kMostMeasurements) {
      throw ConfigurationError(fmt::format("{}: the lists combine to more than {} measurements",
                                           key, kMostMeasurements));
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    std::map<std::string, std::string> chosen;
    std::size_t rest = index;
    for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
      chosen[list->first] = list->second[rest % list->second.size()];
      rest /= list->second.size();
    }
    CommandLine single = line;
    for_each_assignment(single, [&](Assignment& assignment) {
      if (!is_list(assignment)) return;
      const auto value = chosen.find(assignment.key);
      assignment.value =
          value != chosen.end() ? value->second : split(assignment.value, ',').front();
    });
    series.lines.push_back(std::move(single));
  }
  return series;
}

}  // namespace verbena::experiments
