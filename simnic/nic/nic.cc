// A NIC's tables and counter names.
#include "simnic/nic/nic.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "simnic/engine/mix_seed.h"
#include "simnic/nic/chain_context.h"

namespace verbena::simnic {

Nic::Nic(std::uint32_t nic_number, NodeId nic_node, std::uint32_t nic_index,
         const Machine& nic_machine, std::uint64_t seed)
    : number(nic_number),
      node(nic_node),
      index(nic_index),
      machine(nic_machine),
      random(mix_seed(seed, nic_number)),
      mpt_cache(machine.nic.mpt_cache_entries),
      mtt_cache(machine.nic.mtt_cache_entries),
      qp_cache(machine.nic.qp_cache_entries),
      request_cache(machine.nic.wqe_cache_entries) {
  device.nic = this;
  device.node_type = IBV_NODE_CA;
  device.transport_type = IBV_TRANSPORT_IB;
  std::snprintf(device.name, sizeof device.name, "sim%u", index);
  std::snprintf(device.dev_name, sizeof device.dev_name, "uverbs%u", index);
}

Nic::~Nic() = default;

NicChains& Nic::need_chains() {
  if (chains == nullptr) chains = std::make_unique<NicChains>();
  return *chains;
}

ibv_gid Nic::gid(int gid_index) const {
  ibv_gid gid{};
  if (gid_index == 0) {
    // fe80::2:c9ff:fe00:0 + number, the link-local form of a GUID.
    const std::uint8_t prefix[] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x02, 0xc9, 0xff, 0xfe};
    std::memcpy(gid.raw, prefix, sizeof prefix);
    gid.raw[13] = static_cast<std::uint8_t>(number >> 16);
  } else {
    // ::ffff:10.1.0.0 + number.
    const std::uint8_t prefix[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1};
    std::memcpy(gid.raw, prefix, sizeof prefix);
  }
  gid.raw[14] = static_cast<std::uint8_t>(number >> 8);
  gid.raw[15] = static_cast<std::uint8_t>(number);
  return gid;
}

QueuePair* Nic::find_queue_pair(std::uint32_t qp_num) const {
  const std::uint32_t place = qp_num - kFirstQueuePair;
  return place < queue_pairs_.size() ? queue_pairs_[place] : nullptr;
}

std::uint32_t Nic::add_queue_pair(QueuePair* qp) {
  if (!free_queue_pairs_.empty()) {
    const std::uint32_t place = free_queue_pairs_.back();
    free_queue_pairs_.pop_back();
    queue_pairs_[place] = qp;
    return place + kFirstQueuePair;
  }
  if (queue_pairs_.size() >= static_cast<std::size_t>(machine.nic.max_qp)) return 0;
  queue_pairs_.push_back(qp);
  return static_cast<std::uint32_t>(queue_pairs_.size()) - 1 + kFirstQueuePair;
}

void Nic::remove_queue_pair(std::uint32_t qp_num) {
  queue_pairs_[qp_num - kFirstQueuePair] = nullptr;
  free_queue_pairs_.push_back(qp_num - kFirstQueuePair);
}

void Nic::add_region(MemoryRegion& region, int access) {
  if (free_regions_.empty()) {
    region.number = static_cast<std::uint32_t>(regions_.size());
    regions_.emplace_back();
    region_tags_.push_back(0);
  } else {
    region.number = free_regions_.back();
    free_regions_.pop_back();
  }
  // A key that was given back is not valid again at once: its low byte counts, and is never 0.
  std::uint8_t& tag = region_tags_[region.number];
  tag = tag == UINT8_MAX ? 1 : tag + 1;
  region.lkey = region.rkey = region.number << 8 | tag;
  region.handle = region.number;
  Region& own = regions_[region.number];
  own.start = reinterpret_cast<std::uintptr_t>(region.addr);
  own.bytes = region.length;
  own.pd = region.pd;
  own.first_touch = nullptr;
  own.buffers = nullptr;
  own.key = region.lkey;
  own.access = access;
}

void Nic::remove_region(MemoryRegion& region) {
  regions_[region.number] = {};
  free_regions_.push_back(region.number);
}

void add_named(const Counters& counters, std::map<std::string, std::uint64_t>& named) {
  static constexpr const char* kNames[kCounters] = {
      "pcie_read_bytes",
      "pcie_write_bytes",
      "wire_bytes",
      "wire_packets",
      "qp_cache_hits",
      "cqes",
      "doorbells",
      "blueflame_writes",
      "verbs.read",
      "verbs.write",
      "verbs.send",
      "verbs.atomic",
      "verbs.receive",
      "locked_doorbells",
      "locked_queue_pairs",
      "qp_cache_misses",
      "mpt_cache_misses",
      "mtt_cache_misses",
      "wqe_cache_misses",
      "rc_losses",
      "ud_drops",
      "ud_losses",
      "ud_duplicates",
      "ud_reordered",
      "uc_drops",
      "rnr_naks",
      "naks",
      "retries",
      "cq_overruns",
      "verbs.prism_read",
      "verbs.prism_write",
      "verbs.prism_allocate",
      "verbs.prism_cas",
      "verbs.prism_faa",
      "prism_fetches",
      "prism_skipped",
      "prism_no_buffer",
  };
  for (std::size_t i = 0; i < kCounters; ++i) named[kNames[i]] += counters[i];
  named["pcie_bytes"] = named["pcie_read_bytes"] + named["pcie_write_bytes"];
}

}  // namespace verbena::simnic
