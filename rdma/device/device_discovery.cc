// Which RDMA devices, ports and addresses a node has, and the choice among them.
#include "rdma/device/device_discovery.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"
#include "rdma/device/device_error.h"
#include "rdma/device/verbs_object.h"

namespace verbena::rdma {
namespace {

GidKind classify(const ibv_gid_entry& entry) {
  if (entry.gid_type == IBV_GID_TYPE_IB) return GidKind::kInfiniBand;
  if (entry.gid_type == IBV_GID_TYPE_ROCE_V1) return GidKind::kRoceV1;
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(entry.gid.raw, kMapped, sizeof kMapped) == 0) return GidKind::kRoceV2Ipv4;
  const bool link_local = entry.gid.raw[0] == 0xfe && (entry.gid.raw[1] & 0xc0) == 0x80;
  return link_local ? GidKind::kRoceV2LinkLocal : GidKind::kRoceV2Ipv6;
}

bool is_set(const ibv_gid& gid) {
  return gid.global.subnet_prefix != 0 || gid.global.interface_id != 0;
}

PortReport discover_port(const VerbsTable& table, ibv_context* context, int number) {
  PortReport port{number, query_port(table, context, number), {}};
  for (int index = 0; index < port.attr.gid_tbl_len; ++index) {
    ibv_gid_entry entry{};
    // An entry that is not set answers ENODATA.
    if (table.query_gid_type(context, static_cast<std::uint8_t>(number),
                             static_cast<unsigned>(index), &entry) != 0) {
      continue;
    }
    if (is_set(entry.gid)) port.gids.push_back({index, entry.gid, classify(entry)});
  }
  return port;
}

std::string names_of(const std::vector<DeviceReport>& devices) {
  std::string names;
  for (const DeviceReport& device : devices) names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

const DeviceReport& find_device(const std::vector<DeviceReport>& devices, const std::string& name) {
  std::vector<std::string> names;
  for (const DeviceReport& device : devices) {
    if (device.name == name) return device;
    names.push_back(device.name);
  }
  throw DeviceError("device '" + name + "': not there" + did_you_mean(name, names) +
                    (names.empty() ? "; there is none" : " (known: " + names_of(devices) + ")"));
}

const GidReport* preferred_gid(const PortReport& port) {
  const auto best = std::min_element(port.gids.begin(), port.gids.end(),
                                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
  return best == port.gids.end() ? nullptr : &*best;
}

const GidReport& find_gid(const DeviceReport& device, const PortReport& port, int index) {
  std::string known;
  for (const GidReport& gid : port.gids) {
    if (gid.index == index) return gid;
    known += (known.empty() ? "" : ", ") + std::to_string(gid.index);
  }
  throw DeviceError("GID index " + std::to_string(index) + " of device '" + device.name +
                    "' port " + std::to_string(port.number) +
                    ": not set; set are: " + (known.empty() ? "none" : known));
}

PortSelection select(const DeviceReport& device, const PortReport& port, int gid_index) {
  PortSelection selection;
  selection.device = device.name;
  selection.port = port.number;
  selection.ethernet = port.ethernet();
  selection.lid = port.attr.lid;
  selection.mtu = port.attr.active_mtu;
  const GidReport* gid = nullptr;
  if (gid_index >= 0) {
    gid = &find_gid(device, port, gid_index);
  } else if (port.ethernet()) {
    gid = preferred_gid(port);
    if (gid == nullptr) {
      throw DeviceError("device '" + device.name + "' port " + std::to_string(port.number) +
                        ": has no GID; its network interface needs an IP address");
    }
  }
  if (gid != nullptr) {
    selection.gid_index = gid->index;
    selection.gid = gid->gid;
  }
  return selection;
}

bool usable(const PortReport& port) {
  return port.active() && (!port.ethernet() || !port.gids.empty());
}

PortSelection select_chosen(const std::vector<DeviceReport>& devices, const DeviceChoice& choice) {
  const DeviceReport& device =
      choice.name.empty() ? devices.front() : find_device(devices, choice.name);
  if (choice.port < 0) {
    for (const PortReport& port : device.ports) {
      if (port.active()) return select(device, port, choice.gid_index);
    }
    throw DeviceError("device '" + device.name + "': none of its " +
                      std::to_string(device.ports.size()) + " ports is active");
  }
  for (const PortReport& port : device.ports) {
    if (port.number != choice.port) continue;
    if (port.active()) return select(device, port, choice.gid_index);
    throw DeviceError("device '" + device.name + "' port " + std::to_string(port.number) + ": is " +
                      port_state_name(port.attr.state) + ", must be active");
  }
  throw DeviceError("device '" + device.name + "' port " + std::to_string(choice.port) +
                    ": not there; ports are 1 to " + std::to_string(device.ports.size()));
}

}  // namespace

const char* gid_kind_name(GidKind kind) {
  switch (kind) {
    case GidKind::kRoceV2Ipv4:
      return "RoCE v2, IPv4";
    case GidKind::kRoceV2Ipv6:
      return "RoCE v2, IPv6";
    case GidKind::kRoceV2LinkLocal:
      return "RoCE v2, link-local";
    case GidKind::kRoceV1:
      return "RoCE v1";
    case GidKind::kInfiniBand:
      return "InfiniBand";
  }
  return "unknown";
}

std::vector<DeviceReport> discover_devices(const VerbsTable& table) {
  int count = 0;
  ibv_device** list = table.get_device_list(&count);
  std::vector<DeviceReport> devices;
  if (list == nullptr) return devices;
  const std::unique_ptr<ibv_device*, void (*)(ibv_device**)> owner(list, table.free_device_list);
  for (int i = 0; i < count; ++i) {
    const VerbsContext context = open_device(table, list[i]);
    DeviceReport device{table.get_device_name(list[i]), query_device(table, context.get()), {}};
    for (int port = 1; port <= device.attr.phys_port_cnt; ++port) {
      device.ports.push_back(discover_port(table, context.get(), port));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

std::vector<PortSelection> select_ports(const std::vector<DeviceReport>& devices,
                                        std::uint32_t nics,
                                        const std::vector<DeviceChoice>& choices) {
  if (devices.empty()) {
    throw DeviceError("no RDMA device on this node; 'ibv_devices' lists what the kernel offers");
  }
  std::vector<PortSelection> selected;
  if (!choices.empty()) {
    if (choices.size() != nics) {
      throw DeviceError("devices: " + std::to_string(choices.size()) + " are named for nics = " +
                        std::to_string(nics) + "; name one for each NIC");
    }
    for (const DeviceChoice& choice : choices) selected.push_back(select_chosen(devices, choice));
    return selected;
  }
  for (const DeviceReport& device : devices) {
    for (const PortReport& port : device.ports) {
      if (usable(port) && selected.size() < nics) selected.push_back(select(device, port, -1));
    }
  }
  if (selected.size() < nics) {
    throw DeviceError("nics: " + std::to_string(nics) + " asked for, but only " +
                      std::to_string(selected.size()) +
                      " active ports with an address on: " + names_of(devices));
  }
  return selected;
}

std::string gid_text(const ibv_gid& gid) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(AF_INET6, gid.raw, text, sizeof text) != nullptr ? text : "?";
}

const char* port_state_name(ibv_port_state state) {
  switch (state) {
    case IBV_PORT_NOP:
      return "in no state";
    case IBV_PORT_DOWN:
      return "down";
    case IBV_PORT_INIT:
      return "initializing";
    case IBV_PORT_ARMED:
      return "armed";
    case IBV_PORT_ACTIVE:
      return "active";
    case IBV_PORT_ACTIVE_DEFER:
      return "active, deferred";
  }
  return "in an unknown state";
}

}  // namespace verbena::rdma
