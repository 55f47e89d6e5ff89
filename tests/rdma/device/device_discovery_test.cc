// The choice of device, port and GID, and its errors, against a made-up machine.
#include "rdma/device/device_discovery.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

/// Two devices as libibverbs would show them: "ib0" with a down and an active InfiniBand port,
/// "roce0" with an Ethernet port that has GIDs of all kinds.
class MadeUpMachine {
 public:
  static const VerbsTable& table() {
    static const VerbsTable table = make();
    return table;
  }
  static int open_contexts;
  static int devices;

 private:
  static std::array<ibv_device, 2>& all() {
    static std::array<ibv_device, 2> all{};
    return all;
  }
  static bool is_roce(const ibv_context* context) { return context->device == &all()[1]; }

  static int query_port(ibv_context* context, uint8_t port, ibv_port_attr* attr) {
    *attr = {};
    attr->active_mtu = IBV_MTU_4096;
    attr->lid = static_cast<uint16_t>(is_roce(context) ? 0 : 10 + port);
    attr->link_layer = static_cast<uint8_t>(is_roce(context) ? IBV_LINK_LAYER_ETHERNET
                                                             : IBV_LINK_LAYER_INFINIBAND);
    attr->state = !is_roce(context) && port == 1 ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
    attr->gid_tbl_len = is_roce(context) ? 8 : 1;
    return 0;
  }

  static int query_gid(ibv_context* context, uint8_t port, unsigned index, ibv_gid_entry* entry) {
    *entry = {};
    entry->gid_index = index;
    entry->port_num = port;
    if (!is_roce(context)) {
      entry->gid_type = IBV_GID_TYPE_IB;
      entry->gid.raw[15] = 1;
      return 0;
    }
    static const std::array<uint8_t, 16> mapped = {0, 0, 0,    0,    0,  0, 0, 0,
                                                   0, 0, 0xff, 0xff, 10, 9, 0, 1};
    switch (index) {
      case 0:  // what index 0 usually is
        entry->gid_type = IBV_GID_TYPE_ROCE_V1;
        entry->gid.raw[0] = 0xfe;
        entry->gid.raw[1] = 0x80;
        entry->gid.raw[15] = 7;
        return 0;
      case 1:
        entry->gid_type = IBV_GID_TYPE_ROCE_V2;
        entry->gid.raw[0] = 0xfe;
        entry->gid.raw[1] = 0x80;
        return 0;
      case 3:
        entry->gid_type = IBV_GID_TYPE_ROCE_V1;
        std::memcpy(entry->gid.raw, mapped.data(), mapped.size());
        return 0;
      case 5:
        entry->gid_type = IBV_GID_TYPE_ROCE_V2;
        std::memcpy(entry->gid.raw, mapped.data(), mapped.size());
        return 0;
      default:
        return ENODATA;
    }
  }

  static VerbsTable make() {
    std::strcpy(all()[0].name, "ib0");
    std::strcpy(all()[1].name, "roce0");
    static std::array<ibv_device*, 3> list = {&all()[0], &all()[1], nullptr};
    VerbsTable table{};
    table.get_device_list = [](int* count) {
      *count = devices;
      return list.data();
    };
    table.free_device_list = [](ibv_device**) {};
    table.get_device_name = [](ibv_device* device) -> const char* { return device->name; };
    table.open_device = [](ibv_device* device) {
      ++open_contexts;
      auto* context = std::make_unique<ibv_context>().release();
      context->device = device;
      return context;
    };
    table.close_device = [](ibv_context* context) {
      --open_contexts;
      const std::unique_ptr<ibv_context> owner(context);
      return 0;
    };
    table.query_device = [](ibv_context* context, ibv_device_attr* attr) {
      *attr = {};
      attr->phys_port_cnt = is_roce(context) ? 1 : 2;
      return 0;
    };
    table.query_port = query_port;
    table.query_gid_type = query_gid;
    return table;
  }
};
int MadeUpMachine::open_contexts = 0;
int MadeUpMachine::devices = 2;

class DeviceDiscovery : public ::testing::Test {
 protected:
  DeviceDiscovery() { MadeUpMachine::devices = 2; }

  static std::vector<PortSelection> select(std::uint32_t nics,
                                           const std::vector<DeviceChoice>& choices) {
    return select_ports(discover_devices(MadeUpMachine::table()), nics, choices);
  }
  static std::string error(std::uint32_t nics, const std::vector<DeviceChoice>& choices) {
    try {
      select(nics, choices);
    } catch (const ConfigurationError& failure) {
      return failure.what();
    }
    return "";
  }
};

TEST_F(DeviceDiscovery, TellsEveryPortAndGidAndClosesWhatItOpened) {
  const std::vector<DeviceReport> devices = discover_devices(MadeUpMachine::table());
  EXPECT_EQ(MadeUpMachine::open_contexts, 0);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "ib0");
  ASSERT_EQ(devices[0].ports.size(), 2U);
  EXPECT_FALSE(devices[0].ports[0].active());
  EXPECT_TRUE(devices[0].ports[1].active());
  EXPECT_EQ(devices[0].ports[1].mtu_bytes(), 4096U);
  const PortReport& ethernet = devices[1].ports.at(0);
  ASSERT_EQ(ethernet.gids.size(), 4U) << "entries that are not set do not count";
  EXPECT_EQ(ethernet.gids[3].index, 5);
  EXPECT_EQ(ethernet.gids[3].kind, GidKind::kRoceV2Ipv4);
  EXPECT_EQ(gid_text(ethernet.gids[3].gid), "::ffff:10.9.0.1");
}

TEST_F(DeviceDiscovery, ChoosesActivePortsInOrder) {
  const auto one = select(1, {});
  EXPECT_EQ(one.at(0).device, "ib0");
  EXPECT_EQ(one.at(0).port, 2) << "port 1 is down";
  EXPECT_EQ(one.at(0).gid_index, -1) << "InfiniBand is addressed by LID";
  EXPECT_EQ(one.at(0).lid, 12);
  const auto two = select(2, {});
  EXPECT_EQ(two.at(1).device, "roce0");
}

TEST_F(DeviceDiscovery, PrefersTheRoceV2GidOfAnIpv4AddressToLowerIndexes) {
  const auto selected = select(1, {{.name = "roce0"}});
  EXPECT_EQ(selected.at(0).gid_index, 5);
}

TEST_F(DeviceDiscovery, TakesWhatIsNamed) {
  const auto selected = select(1, {{.name = "roce0", .port = 1, .gid_index = 3}});
  EXPECT_EQ(selected.at(0).gid_index, 3);
  EXPECT_EQ(select(1, {{.name = "ib0", .gid_index = 0}}).at(0).gid_index, 0);
}

TEST_F(DeviceDiscovery, ErrorsNameTheThingAndWhatThereIs) {
  EXPECT_EQ(error(1, {{.name = "roce1"}}),
            "device 'roce1': not there; did you mean roce0? (known: ib0, roce0)");
  EXPECT_EQ(error(1, {{.name = "ib0", .port = 1}}), "device 'ib0' port 1: is down, must be active");
  EXPECT_EQ(error(1, {{.name = "ib0", .port = 3}}),
            "device 'ib0' port 3: not there; ports are 1 to 2");
  EXPECT_EQ(error(1, {{.name = "roce0", .gid_index = 2}}),
            "GID index 2 of device 'roce0' port 1: not set; set are: 0, 1, 3, 5");
  EXPECT_EQ(error(3, {}),
            "nics: 3 asked for, but only 2 active ports with an address on: ib0, roce0");
  EXPECT_EQ(error(2, {{.name = "roce0"}}),
            "devices: 1 are named for nics = 2; name one for each NIC");
  MadeUpMachine::devices = 0;
  EXPECT_EQ(error(1, {}),
            "no RDMA device on this node; 'ibv_devices' lists what the kernel offers");
}

}  // namespace
}  // namespace verbena::rdma
