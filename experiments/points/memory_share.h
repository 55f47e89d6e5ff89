// Division of this machine's memory among runs at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace verbena::experiments {

/// Share of `available` bytes for one of `at_once` runs; more for a run that is expected to take
/// more, since fewer of these run at once. 0 when `available` is unknown (0).
std::uint64_t memory_share(std::uint64_t available, std::size_t at_once, std::uint64_t expected);

/// Line "NAME=VALUE" of the environment that gives a program its share.
std::string memory_share_line(std::uint64_t bytes);

/// The share that this program was given when it was started; 0 if none was.
std::uint64_t inherited_memory_share();

}  // namespace verbena::experiments
