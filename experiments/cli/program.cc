// From arguments to a command, from exceptions to exit codes.
#include "experiments/cli/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "experiments/cli/command_line.h"
#include "experiments/cli/commands.h"
#include "experiments/config/resolve.h"
#include "experiments/config/units.h"
#include "experiments/report/exit_code.h"
#include "rdma/base/errors.h"
#include "rdma/device/device_limits.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kLongestMessage = 1000;

int complain(ExitCode code, const char* message) {
  // Not by fmt, which throws when standard error is closed.
  std::fputs(fmt::format("verbena: {}\n", printable(message, kLongestMessage)).c_str(), stderr);
  return code;
}

int run_resolved(const Options& options) {
  switch (options.command) {
    case Command::kRun:
      return run_command(options);
    case Command::kBench:
      return bench_command(options);
    case Command::kReproduce:
      return reproduce_command(options);
    case Command::kExplain:
      return explain_command(options);
    case Command::kList:
      return list_command(options);
    case Command::kDoctor:
      return doctor_command(options);
  }
  return kBadInput;
}

int run_parsed(const ParsedArguments& parsed) {
  if (parsed.text) {
    fmt::print("{}", *parsed.text);
    return kSuccess;
  }
  const Options options = resolve(parsed.line);
  try {
    return run_resolved(options);
  } catch (const rdma::DeviceLimitError& error) {
    if (!options.simulated()) throw;
    throw ConfigurationError(
        fmt::format("{}; --set nic.{} changes it", error.what(), error.limit()));
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    const int code = run_parsed(parse_arguments(arguments));
    if (std::fflush(stdout) != 0) {
      return complain(kFailure, fmt::format("standard output: {}", std::strerror(errno)).c_str());
    }
    return code;
  } catch (const ConfigurationError& error) {
    return complain(kBadInput, error.what());
  } catch (const PeerMissing& error) {
    return complain(kPeerMissing, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kFailure, "out of memory");
  } catch (const std::exception& error) {
    return complain(kFailure, error.what());
  }
}

}  // namespace verbena::experiments
