// Rows of who waits for what.
#include "experiments/report/text/unfinished_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace verbena::experiments {
namespace {

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string aborts_text(const workloads::Unfinished& one) {
  std::string text;
  for (const auto& [cause, count] : one.aborts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, count);
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string unfinished_text(const std::vector<workloads::Unfinished>& unfinished) {
  std::string text = fmt::format("{:<6} {:<6} {:<9} {:>12}  {:<18} {:<40} waits for\n", "node",
                                 "thread", "coroutine", "since [us]", "transaction", "aborted by");
  const std::size_t shown = std::min(unfinished.size(), kMostLines);
  for (std::size_t i = 0; i < shown; ++i) {
    const workloads::Unfinished& one = unfinished[i];
    text += fmt::format("{:<6} {:<6} {:<9} {:>12.3f}  {:<18} {:<40} {}\n", one.node, one.worker,
                        one.fiber, microseconds(one.since), one.kind, aborts_text(one),
                        one.waits_for.empty() ? "-" : one.waits_for);
  }
  if (shown < unfinished.size()) {
    text += fmt::format("and {} others that began later\n", unfinished.size() - shown);
  }
  return text;
}

std::string unfinished_document(const char* error,
                                const std::vector<workloads::Unfinished>& unfinished) {
  nlohmann::ordered_json document{{"error", error}};
  auto& list = document["unfinished"] = nlohmann::ordered_json::array();
  for (const workloads::Unfinished& one : unfinished) {
    nlohmann::ordered_json aborts = nlohmann::ordered_json::object();
    for (const auto& [cause, count] : one.aborts) aborts[cause] = count;
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    row["node"] = static_cast<std::uint64_t>(one.node);
    row["worker"] = static_cast<std::uint64_t>(one.worker);
    row["coroutine"] = static_cast<std::uint64_t>(one.fiber);
    row["transaction"] = one.kind;
    row["since_us"] = microseconds(one.since);
    row["aborts"] = aborts;
    row["waits_for"] = one.waits_for;
    list.push_back(row);
  }
  return document.dump(2) + "\n";
}

}  // namespace verbena::experiments
