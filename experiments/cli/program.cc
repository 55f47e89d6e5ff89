// From arguments to a command, from exceptions to exit codes.
#include "experiments/cli/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "experiments/cli/command_line.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/measuring.h"
#include "experiments/cli/shell_limits.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/membership.h"
#include "experiments/config/resolve.h"
#include "experiments/points/memory_share.h"
#include "experiments/points/progress_board.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/publish.h"
#include "experiments/session/agreement.h"
#include "rdma/base/errors.h"
#include "rdma/device/device_error.h"
#include "rdma/device/device_limits.h"
#include "rdma/hardware/tcp_rendezvous.h"
#include "workloads/run/stuck.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kLongestMessage = 1000;

/// A command that failed.
struct Failed {
  ExitCode code;
  std::string why;
};

// Names the error that is being handled.
Failed failure() {
  try {
    throw;
  } catch (const ConfigurationError& error) {
    return {kBadInput, error.what()};
  } catch (const NotMeasured& error) {
    return {kNotMeasured, error.what()};
  } catch (const workloads::Stuck& error) {
    return {kStuck, error.what()};
  } catch (const PeerMissing& error) {
    return {kPeerMissing, error.what()};
  } catch (const Interrupted& error) {
    return {kInterrupted, error.what()};
  } catch (const std::bad_alloc&) {
    return {kFailure, "out of memory"};
  } catch (const std::exception& error) {
    return {kFailure, error.what()};
  }
}

int complain(const Failed& failed) {
  // Not by fmt, which throws when standard error is closed.
  std::fputs(fmt::format("verbena: {}\n", printable(failed.why, kLongestMessage)).c_str(), stderr);
  return failed.code;
}

// The others of a cluster would wait for this process, which has not come to meet them.
void tell_peers(const std::vector<std::string>& arguments, const Failed& failed) {
  const std::optional<Membership> cluster = membership_of(arguments);
  if (!cluster) return;
  try {
    rdma::tell_end(cluster->node, cluster->peers, printable(failed.why, kLongestMessage), kLinger);
  } catch (const std::exception&) {
    // Their addresses are none, or there is no thread or memory left for that.
  }
}

/// Things of the process that a command uses, and tells of.
struct Surroundings {
  rdma::PageArena* arena;
  workloads::RunProgress* progress;
  std::uint64_t memory_bytes;
  bool met_peers = false;
};

int run_resolved(AnyCommand& command, Surroundings& around) {
  auto* const on_fabric = dynamic_cast<FabricCommand*>(&options_of(command));
  if (on_fabric != nullptr) {
    on_fabric->page_arena = around.arena;
    on_fabric->progress = around.progress;
    on_fabric->memory_share_bytes = around.memory_bytes;
    on_fabric->met_peers = &around.met_peers;
  }
  const bool simulated = on_fabric != nullptr && on_fabric->fabric.simulated;
  try {
    return std::visit([](const auto& own) { return execute(own); }, command);
  } catch (const rdma::DeviceError& error) {
    if (simulated || std::holds_alternative<DoctorCommand>(command)) throw;
    throw ConfigurationError(fmt::format(
        "{}; verbena doctor tells what this machine has and what to mend", error.what()));
  } catch (const rdma::DeviceLimitError& error) {
    if (!simulated) throw;
    throw ConfigurationError(
        fmt::format("{}; --set nic.{} changes it", error.what(), error.limit()));
  }
}

int run_parsed(const ParsedArguments& parsed, Surroundings& around) {
  if (parsed.text) {
    fmt::print("{}", *parsed.text);
    return kSuccess;
  }
  AnyCommand command = resolve(parsed.line);
  say_changed_files(parsed.line, options_of(command).record);
  return run_resolved(command, around);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena,
                workloads::RunProgress* progress, std::uint64_t memory_bytes) {
  Surroundings around{.arena = arena, .progress = progress, .memory_bytes = memory_bytes};
  try {
    heed_shell_limits();
    const int code = run_parsed(parse_arguments(arguments), around);
    if (std::fflush(stdout) != 0) {
      return complain({kFailure, fmt::format("standard output: {}", std::strerror(errno))});
    }
    return code;
  } catch (const std::exception&) {
    const Failed failed = failure();
    const int code = complain(failed);
    if (!around.met_peers) tell_peers(arguments, failed);
    return code;
  }
}

int run_process(const std::vector<std::string>& arguments) {
  return run_program(arguments, nullptr, ProgressBoard::inherited(), inherited_memory_share());
}

}  // namespace verbena::experiments
