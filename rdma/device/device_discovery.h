// RDMA devices, ports and addresses of a node, and the choice among them.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/device/endpoint_options.h"
#include "rdma/seam/verbs_table.h"

namespace verbena::rdma {

/// Kinds of GIDs by their carrier, in the order of preference on Ethernet.
enum class GidKind : std::uint8_t {
  kRoceV2Ipv4,
  kRoceV2Ipv6,
  kRoceV2LinkLocal,
  kRoceV1,
  kInfiniBand
};
const char* gid_kind_name(GidKind kind);

struct GidReport {
  int index;
  ibv_gid gid;
  GidKind kind;
};

struct PortReport {
  int number;
  ibv_port_attr attr;
  std::vector<GidReport> gids;  ///< those that are set, by index

  bool active() const { return attr.state == IBV_PORT_ACTIVE; }
  bool ethernet() const { return attr.link_layer == IBV_LINK_LAYER_ETHERNET; }
  /// Largest payload of a datagram, in bytes.
  std::uint32_t mtu_bytes() const { return 128U << attr.active_mtu; }
};

struct DeviceReport {
  std::string name;
  ibv_device_attr attr;
  std::vector<PortReport> ports;
};

/// Returns everything that the node's devices report, in the order of the device list; empty when
/// there is no RDMA device. Opens each device for a moment. Throws VerbsError when a device cannot
/// be queried.
std::vector<DeviceReport> discover_devices(const VerbsTable& table);

/// One NIC of a node: a port with the address under which peers reach it.
struct PortSelection {
  std::string device;
  int port = 0;
  bool ethernet = false;
  int gid_index = -1;  ///< -1: addressed by LID
  ibv_gid gid{};
  std::uint16_t lid = 0;
  ibv_mtu mtu = IBV_MTU_1024;
};

/// Chooses `nics` ports: by `choices` when it is not empty, else the first active ones. Throws
/// ConfigurationError: no RDMA device, fewer active ports than NICs, an unknown device (with the
/// nearest name), a port that is missing or not active, a missing GID index.
std::vector<PortSelection> select_ports(const std::vector<DeviceReport>& devices,
                                        std::uint32_t nics,
                                        const std::vector<DeviceChoice>& choices);

/// "fe80::1" or "::ffff:10.0.0.1" style text of a GID.
std::string gid_text(const ibv_gid& gid);

/// "active", "down", ... as ibv_devinfo would say.
const char* port_state_name(ibv_port_state state);

}  // namespace verbena::rdma
