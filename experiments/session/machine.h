// Needs of RDMA on a machine besides devices, and advice on what is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace verbena::experiments {

/// Facts about this machine.
struct Machine {
  bool memlock_unlimited = false;
  std::uint64_t memlock_bytes = 0;  ///< memory that a process may lock
  std::uint64_t huge_pages = 0;     ///< configured
  std::uint64_t free_huge_pages = 0;
  std::uint64_t huge_page_kib = 0;              ///< size of one
  std::vector<std::string> kernel_devices;      ///< that the kernel's RDMA core has, e.g. "rxe0"
  std::vector<std::string> user_devices;        ///< /dev/infiniband/uverbs*
  std::vector<std::string> unreadable_devices;  ///< of these, those that this user may not open
};

/// Asks the kernel.
Machine inspect_machine();

/// Advice so that RDMA works (well), each as one sentence with its remedy. `devices` is the
/// number that libibverbs lists, `active_ports` that of their ports that are up.
std::vector<std::string> advice(const Machine& machine, std::size_t devices,
                                std::size_t active_ports);

}  // namespace verbena::experiments
