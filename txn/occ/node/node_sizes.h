// Sizes of memory and messages that a cluster's transactions need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "txn/occ/node/node_options.h"
#include "txn/schema/table.h"

namespace verbena::txn::occ {

/// Bytes of a log ring if the options leave them open: 16 KiB, or four of the longest records.
std::uint64_t log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes);

/// Bytes of two of the longest log records; wherever the free space begins, one fits behind
/// padding.
std::uint64_t least_log_ring_bytes(const TransactionLimits& limits, std::uint32_t nodes);

/// Most bytes of registered memory that one fiber's transaction needs.
std::size_t arena_bytes(const NodeOptions& options, std::uint32_t nodes);

/// Bytes of EndpointOptions::scratch_bytes.
std::size_t scratch_bytes(const NodeOptions& options, std::uint32_t nodes);

/// Bytes of the largest payload that messages of the plan may carry.
std::uint32_t largest_payload_in_messages(Schema schema, const Plan& plan);

/// Bytes of the longest useful RPC message, with its header; with shorter ones a transaction sends
/// several.
std::uint32_t message_bytes(const Schema& schema, const NodeOptions& options, std::uint32_t nodes);

}  // namespace verbena::txn::occ
