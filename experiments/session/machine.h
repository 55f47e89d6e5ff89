// RDMA's requirements on a machine, besides devices, and advice on missing ones.
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
  std::uint64_t huge_pages = 0;     ///< number configured
  std::uint64_t free_huge_pages = 0;
  std::uint64_t huge_page_kib = 0;              ///< size of one
  std::vector<std::string> kernel_devices;      ///< names in the kernel's RDMA core, e.g. "rxe0"
  std::vector<std::string> user_devices;        ///< /dev/infiniband/uverbs*
  std::vector<std::string> unreadable_devices;  ///< `user_devices` that this user may not open
};

/// Reads the facts from the kernel.
Machine inspect_machine();

/// Advises how to make RDMA work (well), one sentence with a remedy for each problem. `devices` is
/// the number of devices that libibverbs lists, `active_ports` that of their active ports.
std::vector<std::string> advice(const Machine& machine, std::size_t devices,
                                std::size_t active_ports);

}  // namespace verbena::experiments
