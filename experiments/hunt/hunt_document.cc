// Writing records, and reading them.
#include "experiments/hunt/hunt_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/config/input_pipe.h"
#include "experiments/hunt/expected_points.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

constexpr const char* kSchemaName = "verbena.hunt";
constexpr int kSchemaVersion = 1;

json failure_document(const RecordedFailure& failure) {
  return {{"seed", failure.seed},
          {"system", failure.system},
          {"workload", failure.workload},
          {"outcome", outcome_name(failure.outcome)},
          {"why", failure.why},
          {"as_drawn", failure.as_drawn},
          {"smallest", failure.smallest.empty() ? json() : json(failure.smallest)}};
}

json ground_document(const HuntGround& ground) {
  json sets = json::object();
  for (const Assignment& said : ground.sets) sets[said.key] = said.value;
  return {{"systems", ground.systems}, {"workloads", ground.workloads}, {"sets", sets}};
}

HuntGround ground_of(const json& document) {
  HuntGround ground{
      .systems = document.at("systems"), .workloads = document.at("workloads"), .sets = {}};
  for (const auto& [key, value] : document.at("sets").items()) {
    ground.sets.push_back({.key = key, .value = value.get<std::string>(), .place = "--set"});
  }
  return ground;
}

Outcome outcome_named(const std::string& name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Outcome::kCount); ++i) {
    if (name == outcome_name(static_cast<Outcome>(i))) return static_cast<Outcome>(i);
  }
  throw ConfigurationError(fmt::format("outcome '{}' is unknown", name));
}

RecordedFailure failure_of(const json& document) {
  const json& smallest = document.at("smallest");
  return {.seed = document.at("seed"),
          .system = document.at("system"),
          .workload = document.at("workload"),
          .outcome = outcome_named(document.at("outcome")),
          .why = document.at("why"),
          .as_drawn = document.at("as_drawn"),
          .smallest = smallest.is_null() ? "" : smallest.get<std::string>()};
}

SeedRange range_of(const json& document) {
  const SeedRange range{.first = document.at("first"), .last = document.at("last")};
  if (range.first > range.last) throw ConfigurationError("a range of seeds ends before it begins");
  return range;
}

HuntRecord parsed(const std::string& text) {
  const json document = json::parse(text);
  const json& schema = document.at("schema");
  if (schema.at("name") != kSchemaName || schema.at("version") != kSchemaVersion) {
    throw ConfigurationError(
        fmt::format("has another schema; expected {} version {}", kSchemaName, kSchemaVersion));
  }
  HuntRecord record{.commit = document.at("commit"),
                    .ground = ground_of(document.at("ground")),
                    .seeds = {},
                    .runs = document.at("runs"),
                    .refused = document.at("refused"),
                    .twice = document.at("twice"),
                    .by_system = document.at("systems"),
                    .by_workload = document.at("workloads"),
                    .reached = document.at("points").at("reached"),
                    .failures = {},
                    .interrupted = document.at("interrupted"),
                    .wall_seconds = document.at("wall_seconds")};
  for (const json& range : document.at("seeds")) record.seeds.push_back(range_of(range));
  for (const json& failure : document.at("failures")) {
    record.failures.push_back(failure_of(failure));
  }
  return record;
}

}  // namespace

std::string hunt_document(const HuntRecord& record, const std::string& command_line) {
  json document = {{"schema", {{"name", kSchemaName}, {"version", kSchemaVersion}}},
                   {"commit", record.commit},
                   {"command_line", command_line},
                   {"ground", ground_document(record.ground)},
                   {"seeds", json::array()},
                   {"runs", record.runs},
                   {"refused", record.refused},
                   {"twice", record.twice},
                   {"systems", record.by_system},
                   {"workloads", record.by_workload},
                   {"failures", json::array()},
                   {"points",
                    {{"reached", record.reached},
                     {"never_reached", never_reached(record.reached, record.ground)}}},
                   {"interrupted", record.interrupted},
                   {"wall_seconds", record.wall_seconds}};
  for (const SeedRange& range : record.seeds) {
    document["seeds"].push_back({{"first", range.first}, {"last", range.last}});
  }
  for (const RecordedFailure& failure : record.failures) {
    document["failures"].push_back(failure_document(failure));
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

HuntRecord read_hunt(const std::string& path) {
  const std::string text = read_file_or_pipe(path, path);
  std::string why;
  try {
    return parsed(text);
  } catch (const ConfigurationError& error) {
    why = error.what();
  } catch (const json::exception&) {
    why = "is not a document that hunt --json wrote";
  }
  throw ConfigurationError(fmt::format("{}: {}", path, why));
}

}  // namespace verbena::experiments
