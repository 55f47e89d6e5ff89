// Content of the stress workload's records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "txn/schema/table.h"

namespace verbena::workloads::stress {

/// A stamp, which no other write has, and words that follow from it and from the record's name. So
/// half of one write and half of another are no content, nor is that of another record.
using Stamp = std::uint64_t;

/// The stamp of a record as it was loaded.
Stamp initial_stamp(const txn::RecordName& name);

/// Fills the whole payload, of a multiple of 8 B.
void write_content(const txn::RecordName& name, Stamp stamp, std::span<std::byte> payload);

/// Tells what is wrong with the content; empty: nothing.
std::string content_fault(const txn::RecordName& name, std::span<const std::byte> payload);

}  // namespace verbena::workloads::stress
