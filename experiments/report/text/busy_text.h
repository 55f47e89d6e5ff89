// How busy resources were and what cores' time goes to, for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/run/resources/utilization.h"

namespace verbena::experiments {

/// Lines of a table, each a label and what follows it: of the whole, then of each role where nodes
/// differ in theirs, labelled with how many nodes have it ("  2 memory").
using LabelledLines = std::vector<std::pair<std::string, std::string>>;

/// "mean/most" of each kind of resource that did something.
LabelledLines busy_lines(const workloads::Utilization& use);

/// Uses of the cores' time.
LabelledLines core_time_lines(const workloads::Utilization& use);

/// "compute servers", "the oracle"; of a cluster whose nodes differ in their roles.
std::string nodes_text(const workloads::RoleUse& role);

/// "cores work 12.3 % of the time (the busiest 45.6 %)", or "cores of compute servers work ..., of
/// memory servers ..." where nodes differ in their roles.
std::string cores_work_text(const workloads::Utilization& use);

}  // namespace verbena::experiments
