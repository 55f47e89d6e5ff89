// Draws of the parts of a run: each of these goes on where the one before has left it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/hunt/draw/drawn_run.h"

namespace verbena::experiments {

/// Nodes and their NICs, and how long the run is. To come first: others go by the number of nodes.
void draw_cluster(DrawnRun& run);
void draw_length(DrawnRun& run);

/// Draws what transactions do, and on how few records, for a system that has been drawn.
void draw_workload(DrawnRun& run);

/// Losses and chaos, for a system and workload that have been drawn.
void draw_fabric(DrawnRun& run);

/// Queues, timers and messages of workers.
void draw_workers(DrawnRun& run);

/// Draws the settings that the system of each protocol can be given.
void draw_occ(DrawnRun& run);
void draw_nam(DrawnRun& run);
void draw_si2pc(DrawnRun& run);
void draw_prism_kv(DrawnRun& run);
void draw_pilaf(DrawnRun& run);
void draw_abdlock(DrawnRun& run);
void draw_prism_rs(DrawnRun& run);
void draw_prism_tx(DrawnRun& run);

/// Servers without backups, and threads of theirs, for systems of the PRISM paper.
void draw_prism_servers(DrawnRun& run);

/// The workloads, of those that are hunted, whose transactions may be of one record each, for a
/// system that has no others; all of them, if none is.
std::vector<std::string> workloads_of_one_record(const DrawnRun& run);

/// Likewise, for a system without scans, the workloads that can do without.
std::vector<std::string> workloads_without_scans(const DrawnRun& run);

/// Makes a workload that has been drawn, of these, scan nothing, and replace records that it has
/// not read now and then.
void draw_without_scans(DrawnRun& run);

/// Makes transactions of a workload that has been drawn, of these, such ones.
void draw_one_record(DrawnRun& run);

/// Journals of what draw_nam gave journals, deaths of nodes, and clusters that begin again, on a
/// fabric that has been drawn.
void draw_nam_faults(DrawnRun& run);

/// Deaths of replicas of what draw_abdlock drew, and of replicas and clients of what draw_prism_rs
/// drew, and time to find them, likewise.
void draw_abdlock_faults(DrawnRun& run);
void draw_prism_rs_faults(DrawnRun& run);

/// Silence after which nodes count as dead by the settings of `section`, on a fabric that has been
/// drawn: soon where one `dies`, and late where those that are alive may be silent for long.
void draw_suspicion(DrawnRun& run, const std::string& section, bool dies);

/// The death of `node`, one of the first `most` times that it comes to `point`, and time for others
/// to find it by the settings of `section`, which have been drawn.
void draw_death(DrawnRun& run, const std::string& section, const std::string& node,
                const std::string& point, std::uint64_t most);

/// Deaths of clients of PRISM's servers, by a stream of its own, which leaves all other settings of
/// a seed as they are, but for the number of nodes and how long they are waited for.
void draw_deaths_of_clients(DrawnRun& run, std::uint64_t seed, std::uint64_t draw);

/// Requests that meet at peers' cores, by a stream of its own: where it draws them it sets threads,
/// coroutines, servers, plan and workload as they need, and leaves all other runs as they are. For
/// a run that has been drawn but for deaths of clients of PRISM's servers.
void draw_cores(DrawnRun& run, std::uint64_t seed, std::uint64_t draw);

/// Time for what is slow and gets on. To come last: it goes by all that has been drawn.
void draw_patience(DrawnRun& run);

}  // namespace verbena::experiments
