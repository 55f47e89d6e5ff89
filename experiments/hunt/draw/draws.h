// Draws of the parts of a run. Each adds to what the ones before have drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/hunt/draw/drawn_run.h"

namespace verbena::experiments {

/// Draw nodes with their NICs, and the length of the run. Call draw_cluster first: others depend on
/// the number of nodes.
void draw_cluster(DrawnRun& run);
void draw_length(DrawnRun& run);

/// Draws the workload's parameters and its small number of records. The system must be drawn
/// before.
void draw_workload(DrawnRun& run);

/// Draws losses and chaos. System and workload must be drawn before.
void draw_fabric(DrawnRun& run);

/// Queues, timers and messages of workers.
void draw_workers(DrawnRun& run);

/// Draw the settings of the systems of each protocol.
void draw_occ(DrawnRun& run);
void draw_nam(DrawnRun& run);
void draw_si2pc(DrawnRun& run);
void draw_prism_kv(DrawnRun& run);
void draw_pilaf(DrawnRun& run);
void draw_abdlock(DrawnRun& run);
void draw_prism_rs(DrawnRun& run);
void draw_prism_tx(DrawnRun& run);

/// Draws servers without backups and the number of their threads, for systems of the PRISM paper.
void draw_prism_servers(DrawnRun& run);

/// Returns the hunted workloads that can be set to transactions of one record each, for a system
/// that supports no others; all of them if none can.
std::vector<std::string> workloads_of_one_record(const DrawnRun& run);

/// Returns the hunted workloads that can run without scans, for a system that has none; all of them
/// if none can.
std::vector<std::string> workloads_without_scans(const DrawnRun& run);

/// Makes a drawn workload, one of workloads_without_scans, scan nothing and now and then replace
/// records that it has not read.
void draw_without_scans(DrawnRun& run);

/// Makes the transactions of a drawn workload, one of workloads_of_one_record, use one record each.
void draw_one_record(DrawnRun& run);

/// Draws journals where draw_nam has drawn them, deaths of nodes, and clusters that restart.
/// The fabric must be drawn before.
void draw_nam_faults(DrawnRun& run);

/// Draw deaths of replicas (of draw_prism_rs also of clients), and the time to detect them, for
/// what draw_abdlock or draw_prism_rs drew. The fabric must be drawn before.
void draw_abdlock_faults(DrawnRun& run);
void draw_prism_rs_faults(DrawnRun& run);

/// Draws the silence after which nodes count as dead, in the settings of `section`: short where a
/// node `dies`, long where living nodes may be silent for long. The fabric must be drawn before.
void draw_suspicion(DrawnRun& run, const std::string& section, bool dies);

/// Draws the death of `node` at one of the first `most` times that it reaches `point`, and adds the
/// time that others need to detect it by the settings of `section`, which must be drawn before.
void draw_death(DrawnRun& run, const std::string& section, const std::string& node,
                const std::string& point, std::uint64_t most);

/// Draws deaths of clients of PRISM's servers. Uses a random stream of its own, so that a seed's
/// other settings stay the same, except for the number of nodes and how long they are waited for.
void draw_deaths_of_clients(DrawnRun& run, std::uint64_t seed, std::uint64_t draw);

/// Draws contention at peers' cores. Uses a random stream of its own: where it draws contention, it
/// sets threads, coroutines, servers, plan and workload accordingly, and it leaves all other runs
/// as they are. All but deaths of clients of PRISM's servers must be drawn before.
void draw_cores(DrawnRun& run, std::uint64_t seed, std::uint64_t draw);

/// Draws an extension of PRISM that NICs lack. Uses a random stream of its own; where it is drawn,
/// records are validated accordingly, and there are buffers to spare where nodes die. All but
/// patience must be drawn before.
void draw_without(DrawnRun& run, std::uint64_t seed, std::uint64_t draw);

/// Draws longer patience for runs that are slow but make progress. Call it last: it depends on all
/// other settings.
void draw_patience(DrawnRun& run);

}  // namespace verbena::experiments
