// `verbena doctor`: RDMA devices and limits of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/config/keys/units.h"
#include "experiments/report/exit_code.h"
#include "experiments/session/device_trial.h"
#include "experiments/session/machine.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "rdma/device/device_discovery.h"
#include "rdma/hardware/hardware_fabric.h"

namespace verbena::experiments {
namespace {

void print_port(const rdma::PortReport& port) {
  fmt::print("  port {}: {}, {}, MTU {} of {} B, LID {}\n", port.number,
             rdma::port_state_name(port.attr.state), port.ethernet() ? "Ethernet" : "InfiniBand",
             port.mtu_bytes(), 128U << port.attr.max_mtu, port.attr.lid);
  for (const rdma::GidReport& gid : port.gids) {
    fmt::print("    GID {}: {} ({})\n", gid.index, rdma::gid_text(gid.gid),
               rdma::gid_kind_name(gid.kind));
  }
}

void print_device(const rdma::DeviceReport& device) {
  const bool atomics = device.attr.atomic_cap != IBV_ATOMIC_NONE;
  fmt::print("device {}: firmware {}, {}, {}, {} each, atomics {}\n", device.name,
             device.attr.fw_ver[0] != '\0' ? device.attr.fw_ver : "unknown",
             counted(device.ports.size(), "port"), counted(device.attr.max_qp, "queue pair"),
             counted(device.attr.max_qp_wr, "request"),
             !atomics                                    ? "none"
             : device.attr.atomic_cap == IBV_ATOMIC_GLOB ? "also against the CPU"
                                                         : "among its own");
  for (const rdma::PortReport& port : device.ports) print_port(port);
}

void print_machine(const Machine& machine) {
  fmt::print("lockable memory: {}\n",
             machine.memlock_unlimited ? "unlimited" : format_bytes(machine.memlock_bytes));
  fmt::print("huge pages: {} of {} KiB, {} free\n", machine.huge_pages, machine.huge_page_kib,
             machine.free_huge_pages);
}

std::size_t active_ports(const std::vector<rdma::DeviceReport>& devices) {
  std::size_t active = 0;
  for (const auto& device : devices) {
    for (const auto& port : device.ports) active += port.active() ? 1 : 0;
  }
  return active;
}

// Locks are atomics.
void try_atomics(const rdma::DeviceReport& report, const rdma::DeviceChoice& choice) {
  if (report.attr.atomic_cap == IBV_ATOMIC_NONE) {
    throw ConfigurationError("device " + report.name + " has no atomics");
  }
  const std::string fault = atomics_fault(choice);
  if (!fault.empty()) throw ConfigurationError("device " + report.name + ": " + fault);
  fmt::print("atomics: tried, as locks need them\n");
}

}  // namespace

int execute(const DoctorCommand& command) {
  const auto fabric = rdma::make_hardware_fabric({.nodes = 1, .hosted = {}, .addresses = {}});
  const std::vector<rdma::DeviceReport> devices = rdma::discover_devices(fabric->verbs(0));
  const Machine machine = inspect_machine();
  for (const rdma::DeviceReport& device : devices) print_device(device);
  print_machine(machine);
  for (const std::string& sentence : advice(machine, devices.size(), active_ports(devices))) {
    fmt::print("mend: {}\n", sentence);
  }
  if (devices.empty()) throw ConfigurationError("no RDMA device");
  const auto selected = rdma::select_ports(devices, 1, command.fabric.device_choices(1));
  fmt::print(
      "would use: {} port {}{}\n", selected[0].device, selected[0].port,
      selected[0].gid_index < 0 ? std::string() : fmt::format(", GID {}", selected[0].gid_index));
  const auto used = std::ranges::find(devices, selected[0].device, &rdma::DeviceReport::name);
  try_atomics(*used, {.name = selected[0].device,
                      .port = static_cast<int>(selected[0].port),
                      .gid_index = selected[0].gid_index});
  return kSuccess;
}

}  // namespace verbena::experiments
