// Content of the stress workload's records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "txn/schema/table.h"

namespace verbena::workloads::stress {

/// Number of one write. A record's content is its stamp, which no other write has, and words
/// computed from it and from the record's name. So mixtures of two writes, and another record's
/// content, are detected.
using Stamp = std::uint64_t;

/// Stamp of a record as loaded.
Stamp initial_stamp(const txn::RecordName& name);

/// Fills the whole payload, whose length must be a multiple of 8 B.
void write_content(const txn::RecordName& name, Stamp stamp, std::span<std::byte> payload);

/// Describes what is wrong with a record's content; empty if nothing is.
std::string content_fault(const txn::RecordName& name, std::span<const std::byte> payload);

}  // namespace verbena::workloads::stress
