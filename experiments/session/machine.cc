// Reads limits, /proc and /sys.
#include "experiments/session/machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "experiments/config/keys/units.h"

namespace verbena::experiments {
namespace {

// A worker's buffers and a small store; less makes registration fail sooner or later.
constexpr std::uint64_t kEnoughMemlock = 1ULL << 30;

std::vector<std::string> entries(const char* directory, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void read_huge_pages(Machine& machine) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t value = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    name = line.substr(0, colon);
    const std::size_t digits = line.find_first_of("0123456789", colon);
    if (digits == std::string::npos) continue;
    value = parse_whole(line.substr(digits, line.find_first_not_of("0123456789", digits) - digits))
                .value_or(0);
    if (name == "HugePages_Total") machine.huge_pages = value;
    if (name == "HugePages_Free") machine.free_huge_pages = value;
    if (name == "Hugepagesize") machine.huge_page_kib = value;
  }
}

}  // namespace

Machine inspect_machine() {
  Machine machine;
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  // Root locks what it likes.
  machine.memlock_unlimited = limit.rlim_cur == RLIM_INFINITY || geteuid() == 0;
  machine.memlock_bytes = limit.rlim_cur;
  read_huge_pages(machine);
  machine.kernel_devices = entries("/sys/class/infiniband", "");
  machine.user_devices = entries("/dev/infiniband", "uverbs");
  for (const std::string& name : machine.user_devices) {
    if (access(("/dev/infiniband/" + name).c_str(), R_OK | W_OK) != 0) {
      machine.unreadable_devices.push_back(name);
    }
  }
  return machine;
}

std::vector<std::string> advice(const Machine& machine, std::size_t devices,
                                std::size_t active_ports) {
  std::vector<std::string> mend;
  if (machine.kernel_devices.empty()) {
    mend.emplace_back(
        "The kernel has no RDMA device: load the NIC's driver (mlx5_ib, ...), or make a Soft-RoCE "
        "device with `rdma link add rxe0 type rxe netdev ETHERNET_INTERFACE`.");
  } else if (machine.user_devices.empty()) {
    mend.emplace_back(
        "The kernel has an RDMA device, but /dev/infiniband/uverbs* is missing: `modprobe "
        "ib_uverbs`.");
  } else if (!machine.unreadable_devices.empty()) {
    mend.push_back(
        fmt::format("/dev/infiniband/{} cannot be opened by this user: change its permissions.",
                    machine.unreadable_devices.front()));
  } else if (devices == 0) {
    mend.emplace_back(
        "libibverbs has no driver for the kernel's RDMA device: install ibverbs-providers.");
  } else if (active_ports == 0) {
    mend.emplace_back(
        "No port is active: connect the cable and bring the link up (`ip link set IFACE up`; on "
        "InfiniBand also start a subnet manager).");
  }
  if (!machine.memlock_unlimited && machine.memlock_bytes < kEnoughMemlock) {
    mend.push_back(
        fmt::format("Only {} of memory may be locked: `ulimit -l unlimited`, for good in "
                    "/etc/security/limits.conf.",
                    format_bytes(machine.memlock_bytes)));
  }
  if (machine.huge_pages == 0 && active_ports != 0) {
    mend.emplace_back(
        "No huge pages: a large store spares the NIC page table look-ups with them, e.g. `sysctl "
        "vm.nr_hugepages=1024`.");
  }
  return mend;
}

}  // namespace verbena::experiments
