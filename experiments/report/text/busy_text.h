// Utilization of resources and uses of cores' time, for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/run/resources/utilization.h"

namespace verbena::experiments {

/// Lines of a table, label and text: first for the whole, then, where nodes have several roles, for
/// each role, labelled with the number of its nodes ("  2 memory").
using LabelledLines = std::vector<std::pair<std::string, std::string>>;

/// Formats "mean/most" for each kind of resource that did something.
LabelledLines busy_lines(const workloads::Utilization& use);

/// Formats the uses of the cores' time.
LabelledLines core_time_lines(const workloads::Utilization& use);

/// Names the nodes of a role, in a cluster with several: "compute servers", "the oracle".
std::string nodes_text(const workloads::RoleUse& role);

/// Formats "cores work 12.3 % of the time (the busiest 45.6 %)" or, with several roles, "cores of
/// compute servers work ..., of memory servers ...".
std::string cores_work_text(const workloads::Utilization& use);

}  // namespace verbena::experiments
