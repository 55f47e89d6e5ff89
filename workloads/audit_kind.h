// Audits: transactions that check what they read.
#pragma once

namespace verbena::workloads {

/// The name of the kind of transactions that compare records with each other which others change
/// together. A workload whose kinds have it runs on systems alone whose committed transactions read
/// states of the database: not on those that promise less than snapshot isolation.
inline constexpr const char* kAuditKind = "audit";

}  // namespace verbena::workloads
