// From arguments to a command, from exceptions to exit codes.
#include "experiments/cli/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "experiments/cli/command_line.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/shell_limits.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/resolve.h"
#include "experiments/points/progress_board.h"
#include "experiments/report/exit_code.h"
#include "experiments/report/publish.h"
#include "rdma/base/errors.h"
#include "rdma/device/device_error.h"
#include "rdma/device/device_limits.h"
#include "workloads/run/stuck.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kLongestMessage = 1000;

int complain(ExitCode code, const char* message) {
  // Not by fmt, which throws when standard error is closed.
  std::fputs(fmt::format("verbena: {}\n", printable(message, kLongestMessage)).c_str(), stderr);
  return code;
}

int run_resolved(AnyCommand& command, rdma::PageArena* arena, workloads::RunProgress* progress) {
  auto* const on_fabric = dynamic_cast<FabricCommand*>(&options_of(command));
  if (on_fabric != nullptr) {
    on_fabric->page_arena = arena;
    on_fabric->progress = progress;
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

int run_parsed(const ParsedArguments& parsed, rdma::PageArena* arena,
               workloads::RunProgress* progress) {
  if (parsed.text) {
    fmt::print("{}", *parsed.text);
    return kSuccess;
  }
  AnyCommand command = resolve(parsed.line);
  return run_resolved(command, arena, progress);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, rdma::PageArena* arena,
                workloads::RunProgress* progress) {
  try {
    heed_shell_limits();
    const int code = run_parsed(parse_arguments(arguments), arena, progress);
    if (std::fflush(stdout) != 0) {
      return complain(kFailure, fmt::format("standard output: {}", std::strerror(errno)).c_str());
    }
    return code;
  } catch (const ConfigurationError& error) {
    return complain(kBadInput, error.what());
  } catch (const NotMeasured& error) {
    return complain(kNotMeasured, error.what());
  } catch (const workloads::Stuck& error) {
    return complain(kStuck, error.what());
  } catch (const PeerMissing& error) {
    return complain(kPeerMissing, error.what());
  } catch (const Interrupted& error) {
    return complain(kInterrupted, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kFailure, "out of memory");
  } catch (const std::exception& error) {
    return complain(kFailure, error.what());
  }
}

int run_process(const std::vector<std::string>& arguments) {
  return run_program(arguments, nullptr, ProgressBoard::inherited());
}

}  // namespace verbena::experiments
