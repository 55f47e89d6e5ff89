// Operations of YCSB's core workloads, and the distribution of their records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "workloads/ycsb/options.h"

namespace verbena::workloads::ycsb {

enum class Operation : std::uint32_t { kRead, kUpdate, kInsert, kScan, kReadModifyWrite, kCount };
inline constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::kCount);

enum class Distribution : std::uint8_t { kUniform, kZipfian, kLatest };

/// How often each operation is drawn. Immutable.
struct Mix {
  std::array<std::uint32_t, kOperations> percent{};  ///< by Operation; together 100
  Distribution distribution = Distribution::kZipfian;

  std::uint32_t of(Operation operation) const {
    return percent[static_cast<std::size_t>(operation)];
  }

  Operation draw(Random& random) const;
};

/// Letters of the core workloads.
std::vector<std::string> core_names();

/// "auto" and the distributions.
std::vector<std::string> distribution_names();

/// The mix of the core workload, with what the options replace. Throws ConfigurationError for names
/// that are unknown and for percentages that are not 100 together.
Mix mix_of(const YcsbOptions& options);

}  // namespace verbena::workloads::ycsb
