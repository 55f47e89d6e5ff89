// Tables of all profile constants.
#include "simnic/profile_schema.h"

#include <array>
#include <charconv>
#include <cmath>

namespace verbena::simnic {
namespace {

template <typename Profile>
ConstantSchema<Profile> constant(const char* key, const char* unit, Unit kind, Range range,
                                 std::int64_t Profile::*member) {
  return {key,
          unit,
          kind,
          range,
          [member](const Profile& profile) { return profile.*member; },
          [member](Profile& profile, std::int64_t value) { profile.*member = value; }};
}

template <typename Profile>
ConstantSchema<Profile> time(const char* key, Picoseconds Profile::*member,
                             double maximum = 100'000) {
  return {key,
          "ns",
          Unit::kNanoseconds,
          {0, maximum},
          [member](const Profile& profile) { return (profile.*member).count(); },
          [member](Profile& profile, std::int64_t value) { profile.*member = Picoseconds(value); }};
}

template <typename Profile>
ConstantSchema<Profile> rate(const char* key, double minimum, double maximum,
                             std::int64_t Profile::*member) {
  return constant(key, "Gb/s", Unit::kGigabitsPerSecond, {minimum, maximum}, member);
}

template <typename Profile>
ConstantSchema<Profile> count(const char* key, const char* unit, double minimum, double maximum,
                              std::int64_t Profile::*member, Values values = Values::kWhole) {
  return constant(key, unit, Unit::kCount, {minimum, maximum, values}, member);
}

template <typename Profile>
ConstantSchema<Profile> bytes(const char* key, double minimum, double maximum,
                              std::int64_t Profile::*member, Values values = Values::kWhole) {
  return count(key, "bytes", minimum, maximum, member, values);
}

template <typename Profile>
ConstantSchema<Profile> flag(const char* key, std::int64_t Profile::*member) {
  return count(key, "0 or 1", 0, 1, member);
}

template <typename Profile>
ConstantSchema<Profile> cache(const char* key, std::int64_t Profile::*member) {
  return count(key, "entries", 4, 1e8, member, Values::kWaysOfFour);
}

template <typename Profile>
ConstantSchema<Profile> probability(const char* key, std::int64_t Profile::*member) {
  return constant(key, "probability", Unit::kProbability, {0, 1}, member);
}

bool is_whole(double value) { return value == std::floor(value); }

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

std::vector<ConstantSchema<NicProfile>> make_nic_schema() {
  using P = NicProfile;
  return {
      rate("port_gbps", 1, 1600, &P::port_rate),
      count("ports", "ports", 1, 4, &P::ports),
      bytes("path_mtu_bytes", 256, 4096, &P::path_mtu, Values::kPowersOfTwo),
      flag("ethernet", &P::ethernet),
      count("pcie_lanes", "lanes", 1, 32, &P::pcie_lanes),
      constant("pcie_lane_mbps", "MB/s", Unit::kMegabytesPerSecond, {100, 64'000},
               &P::pcie_lane_rate),
      bytes("pcie_request_header_bytes", 0, 128, &P::pcie_request_header),
      bytes("pcie_completion_header_bytes", 0, 128, &P::pcie_completion_header),
      bytes("pcie_completion_chunk_bytes", 64, 4096, &P::pcie_completion_chunk),
      bytes("pcie_max_payload_bytes", 128, 4096, &P::pcie_max_payload, Values::kPowersOfTwo),
      time("dma_read_latency_ns", &P::dma_read_latency),
      time("dma_write_latency_ns", &P::dma_write_latency),
      time("mmio_latency_ns", &P::mmio_latency),
      count("processing_units", "units", 1, kMostProcessingUnits, &P::processing_units),
      bytes("processing_chunk_bytes", 64, 1 << 30, &P::processing_chunk),
      time("processing_chunk_ns", &P::processing_chunk_time),
      rate("processing_gbps", 1, 100'000, &P::processing_rate),
      time("requester_read_ns", &P::requester_read),
      time("requester_write_ns", &P::requester_write),
      time("requester_send_ns", &P::requester_send),
      time("requester_atomic_ns", &P::requester_atomic),
      time("requester_latency_ns", &P::requester_latency),
      time("busy_queue_ns", &P::busy_queue_latency),
      time("response_latency_ns", &P::response_latency),
      time("completion_ns", &P::completion_time),
      time("result_write_ns", &P::result_write_time),
      bytes("scatter_to_cqe_bytes", 0, 64, &P::scatter_to_cqe),
      time("responder_read_ns", &P::responder_read),
      time("responder_write_ns", &P::responder_write),
      time("responder_send_ns", &P::responder_send),
      time("responder_atomic_ns", &P::responder_atomic),
      time("responder_latency_ns", &P::responder_latency),
      cache("qp_cache_entries", &P::qp_cache_entries),
      bytes("qp_state_bytes", 1, 4096, &P::qp_state_bytes),
      time("qp_miss_stall_ns", &P::qp_miss_stall),
      count("qp_fetches", "fetches", 1, 1e6, &P::qp_fetches),
      cache("mpt_cache_entries", &P::mpt_cache_entries),
      cache("mtt_cache_entries", &P::mtt_cache_entries),
      time("mtt_miss_stall_ns", &P::mtt_miss_stall),
      bytes("page_bytes", 4096, 1 << 30, &P::page_bytes, Values::kPowersOfTwo),
      count("wqe_cache_entries", "entries", 1, 1e8, &P::wqe_cache_entries),
      time("wqe_miss_stall_ns", &P::wqe_miss_stall),
      count("wqe_fetch_burst", "lines", 1, 64, &P::wqe_fetch_burst),
      count("atomic_slots", "slots", 1, 1 << 20, &P::atomic_slots),
      time("atomic_hold_ns", &P::atomic_hold),
      flag("atomic_blocks", &P::atomic_blocks),
      count("doorbell_registers", "registers", 1, 65'536, &P::doorbell_registers),
      count("private_doorbell_registers", "registers", 0, 65'536, &P::private_doorbell_registers),
      count("thread_doorbell_registers", "registers", 0, 65'536, &P::thread_doorbell_registers),
      bytes("blueflame_bytes", 0, 4096, &P::blueflame_bytes),
      bytes("packet_header_bytes", 0, 256, &P::packet_header),
      bytes("packet_framing_bytes", 0, 256, &P::packet_framing),
      bytes("reth_bytes", 0, 64, &P::reth),
      bytes("aeth_bytes", 0, 64, &P::aeth),
      bytes("deth_bytes", 0, 64, &P::deth),
      bytes("atomic_eth_bytes", 0, 64, &P::atomic_eth),
      bytes("atomic_ack_eth_bytes", 0, 64, &P::atomic_ack_eth),
      bytes("immediate_bytes", 0, 64, &P::immediate),
      bytes("cqe_bytes", 16, 256, &P::cqe_bytes),
      bytes("recv_wqe_bytes", 16, 256, &P::recv_wqe_bytes),
      bytes("max_inline_bytes", 0, 4096, &P::max_inline),
      count("max_qp", "queue pairs", 1, 1 << 23, &P::max_qp),
      count("max_qp_wr", "requests", 1, 1 << 20, &P::max_qp_wr),
      count("max_sge", "entries", 1, 255, &P::max_sge),
      count("max_cqe", "entries", 1, 1 << 24, &P::max_cqe),
      count("max_mr", "regions", 1, 1 << 24, &P::max_mr),
      count("max_rd_atomic", "requests", 1, 255, &P::max_rd_atomic),
      count("max_srq_wr", "requests", 1, 1 << 20, &P::max_srq_wr),
  };
}

std::vector<ConstantSchema<CpuProfile>> make_cpu_schema() {
  using P = CpuProfile;
  std::vector<ConstantSchema<P>> schema = {
      time("post_call_ns", &P::post_call),
      time("wqe_build_ns", &P::wqe_build),
      time("inline_copy_line_ns", &P::inline_copy_line),
      time("recv_wqe_build_ns", &P::recv_wqe_build),
      time("blueflame_line_ns", &P::blueflame_line),
      time("doorbell_ns", &P::doorbell),
      time("doorbell_lock_ns", &P::doorbell_lock),
      time("doorbell_waiter_ns", &P::doorbell_waiter),
      time("queue_pair_lock_ns", &P::queue_pair_lock),
      time("queue_pair_waiter_ns", &P::queue_pair_waiter),
      time("poll_cqe_ns", &P::poll_cqe),
      time("poll_empty_ns", &P::poll_empty),
      count("cores_per_socket", "cores", 1, 1024, &P::cores_per_socket),
      count("smt_slowdown_percent", "percent", 100, 1000, &P::smt_slowdown_percent),
      time("far_socket_ns", &P::far_socket),
  };
  static const std::vector<std::string> work_keys = [] {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < rdma::kWorkKinds; ++i) {
      keys.push_back(std::string(rdma::work_name(static_cast<rdma::Work>(i))) + "_ns");
    }
    return keys;
  }();
  for (std::size_t i = 0; i < rdma::kWorkKinds; ++i) {
    schema.push_back(
        {work_keys[i].c_str(),
         "ns",
         Unit::kNanoseconds,
         {0, 1e6},
         [i](const P& profile) { return profile.work[i].count(); },
         [i](P& profile, std::int64_t value) { profile.work[i] = Picoseconds(value); }});
  }
  return schema;
}

std::vector<ConstantSchema<FabricProfile>> make_fabric_schema() {
  using P = FabricProfile;
  return {
      rate("link_gbps", 0.001, 100'000, &P::link_rate),
      time("link_latency_ns", &P::link_latency, 1e9),
      time("switch_latency_ns", &P::switch_latency, 1e9),
      time("loopback_latency_ns", &P::loopback_latency),
      probability("ud_loss", &P::ud_loss),
      probability("ud_duplicate", &P::ud_duplicate),
      probability("ud_reorder", &P::ud_reorder),
      time("ud_reorder_delay_ns", &P::ud_reorder_delay, 1e9),
      probability("chaos_preempt", &P::chaos_preempt),
      time("chaos_jitter_ns", &P::chaos_jitter),
  };
}

}  // namespace

bool Range::has(double value) const {
  // Of NaN nothing holds.
  if (!(value >= minimum && value <= maximum)) return false;
  switch (values) {
    case Values::kAll:
      return true;
    case Values::kWhole:
      return is_whole(value);
    case Values::kPowersOfTwo:
      return is_power_of_two(value);
    case Values::kWaysOfFour:
      return is_whole(value / 4);
  }
  return false;
}

std::string Range::text() const {
  constexpr double kFew = 16;  // so many times the smallest are listed
  std::string all;
  switch (values) {
    case Values::kAll:
      all = "numbers from ";
      break;
    case Values::kWhole:
      if (minimum == 0 && maximum == 1) return "0 or 1";
      all = "whole numbers from ";
      break;
    case Values::kPowersOfTwo:
      if (maximum <= kFew * minimum) {
        for (double value = minimum; value < maximum; value *= 2) {
          all += (all.empty() ? "" : ", ") + plain_number(value);
        }
        return all + " or " + plain_number(maximum);
      }
      all = "powers of two from ";
      break;
    case Values::kWaysOfFour:
      all = "multiples of 4 from ";
      break;
  }
  return all + plain_number(minimum) + " to " + plain_number(maximum);
}

std::string plain_number(double value) {
  std::array<char, 64> text{};
  char* const last = text.data() + text.size();
  auto result = std::to_chars(text.data(), last, value, std::chars_format::fixed);
  // What is too long is nothing that people write.
  if (result.ec != std::errc()) result = std::to_chars(text.data(), last, value);
  return {text.data(), result.ptr};
}

std::span<const ConstantSchema<NicProfile>> nic_schema() {
  static const auto schema = make_nic_schema();
  return schema;
}

std::span<const ConstantSchema<CpuProfile>> cpu_schema() {
  static const auto schema = make_cpu_schema();
  return schema;
}

std::span<const ConstantSchema<FabricProfile>> fabric_schema() {
  static const auto schema = make_fabric_schema();
  return schema;
}

std::int64_t scaled(Unit unit, double value) {
  switch (unit) {
    case Unit::kCount:
      return std::llround(value);
    case Unit::kNanoseconds:
      return std::llround(value * 1e3);
    case Unit::kGigabitsPerSecond:
      return std::llround(8e3 * 1024 / value);
    case Unit::kMegabytesPerSecond:
      return std::llround(1e6 * 1024 / value);
    case Unit::kProbability:
      return std::llround(value * 4294967296.0);
  }
  return 0;
}

}  // namespace verbena::simnic
