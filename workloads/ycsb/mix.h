// Mixes of operations of YCSB's core workloads, and distributions of their records.
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

/// Shares of operations. Immutable.
struct Mix {
  std::array<std::uint32_t, kOperations> percent{};  ///< by Operation; together 100
  Distribution distribution = Distribution::kZipfian;

  std::uint32_t of(Operation operation) const {
    return percent[static_cast<std::size_t>(operation)];
  }

  Operation draw(Random& random) const;
};

/// Names of the core workloads: their letters.
std::vector<std::string> core_names();

/// Names of distributions, with "auto" first.
std::vector<std::string> distribution_names();

/// Makes the mix of the core workload, with the options' replacements. Throws ConfigurationError
/// for unknown names and for percentages that do not sum up to 100.
Mix mix_of(const YcsbOptions& options);

}  // namespace verbena::workloads::ycsb
