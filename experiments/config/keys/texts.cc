// Names that are there, and addresses.
#include "experiments/config/keys/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "experiments/config/keys/units.h"
#include "rdma/base/text/split.h"

namespace verbena::experiments {
namespace {

// Colons within brackets only: otherwise it would be open which of them is the one before the port.
bool is_host(std::string_view host) {
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const char* const not_in_it = bracketed ? " \t\n/[]" : " \t\n/[]:";
  return !host.empty() && host.find_first_of(not_in_it) == std::string_view::npos;
}

/// A unit of sizes of memory.
struct MemoryUnit {
  std::string_view name;
  std::uint64_t bytes;
};

/// The largest first.
constexpr MemoryUnit kMemoryUnits[] = {{"TiB", std::uint64_t{1} << 40},
                                       {"GiB", std::uint64_t{1} << 30},
                                       {"MiB", std::uint64_t{1} << 20},
                                       {"KiB", std::uint64_t{1} << 10},
                                       {"B", 1}};

constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

}  // namespace

std::string check_file_name(const std::string& text) {
  return text.empty() ? "expected the name of a file" : "";
}

std::string check_history_name(const std::string& text) {
  const bool is_known = text.ends_with(".edn") || text.ends_with(".jsonl");
  return is_known ? "" : "expected the name of a file that ends in .edn or .jsonl";
}

std::string check_directory_name(const std::string& text) {
  return text.empty() ? "expected the name of a directory" : "";
}

std::string check_device_name(const std::string& text) {
  return text.empty() ? "expected the name of a device, as `verbena doctor` lists them" : "";
}

std::string check_plan_text(const std::string& text) {
  return text.empty() ? "expected PHASE=PRIMITIVE or PHASE.OPTION=on|off" : "";
}

std::string check_node_range(const std::string& text) {
  return parse_node_range(text) ? "" : "expected a node, or FIRST-LAST, such as 12-15";
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_node_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_whole(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_whole(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last > UINT16_MAX) return std::nullopt;
  return std::pair{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
}

std::string check_memory_size(const std::string& text) {
  if (text == "auto") return "";
  const auto bytes = parse_memory_size(text);
  return bytes && *bytes >= kLeastMemory ? "" : "expected auto, or at least 1MiB, such as 3GiB";
}

std::optional<std::uint64_t> parse_memory_size(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_whole(text.substr(0, digits));
  const auto* const unit = std::ranges::find(kMemoryUnits, text.substr(digits), &MemoryUnit::name);
  if (!number || unit == std::end(kMemoryUnits) || *number > UINT64_MAX / unit->bytes) {
    return std::nullopt;
  }
  return *number * unit->bytes;
}

std::string format_memory_size(std::uint64_t bytes) {
  const auto* const unit = std::ranges::find_if(
      kMemoryUnits, [&](const MemoryUnit& one) { return bytes % one.bytes == 0; });
  return fmt::format("{}{}", bytes / unit->bytes, unit->name);
}

std::string list_of(const std::string& key, const std::vector<std::string>& values) {
  const bool commas = std::ranges::any_of(
      values, [](const std::string& value) { return value.find(',') != std::string::npos; });
  const bool bars = key == "plan" || (commas && key != "peers");
  return fmt::format("{}", fmt::join(values, bars ? "|" : ","));
}

std::string check_peers(const std::string& text) {
  if (text.empty()) return "expected host:port,host:port,...";
  const std::vector<std::string> peers = split(text, ',');
  for (const std::string& peer : peers) {
    const std::size_t colon = peer.rfind(':');
    const auto port = parse_whole(peer.substr(colon + 1));
    if (colon == std::string::npos || !is_host(std::string_view(peer).substr(0, colon)) || !port ||
        *port < 1 || *port > 65535) {
      return fmt::format("'{}' is not host:port with a port from 1 to 65535{}", printable(peer),
                         std::ranges::count(peer, ':') > 1 ? ", or [IPv6]:port" : "");
    }
    if (std::count(peers.begin(), peers.end(), peer) > 1) {
      return fmt::format("'{}' appears twice", printable(peer));
    }
  }
  return "";
}

}  // namespace verbena::experiments
