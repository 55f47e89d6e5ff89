// Audits: transactions that check the consistency of what they read.
#pragma once

namespace verbena::workloads {

/// Name of the kind of transactions that compare records which others change together. A workload
/// with this kind needs a system whose committed transactions read consistent states of the
/// database: one with at least snapshot isolation.
inline constexpr const char* kAuditKind = "audit";

}  // namespace verbena::workloads
