// Comparing settings, key by key.
#include "experiments/session/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/config/keys/units.h"
#include "rdma/base/errors.h"
#include "rdma/hardware/tcp_rendezvous.h"

namespace verbena::experiments {
namespace {

using SharedKeys = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kKey = "settings";
/// No keys, so that they are named as they are.
constexpr const char* kProgram = "the program's commit";
constexpr const char* kCommand = "the command";

// Neither keys nor values have zeros.
std::vector<std::byte> bytes_of(const SharedKeys& settings) {
  std::string text;
  for (const auto& [key, value] : settings) {
    text.append(key).push_back('\0');
    text.append(value).push_back('\0');
  }
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

SharedKeys settings_of(const std::vector<std::byte>& bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  SharedKeys settings;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    settings.emplace_back(parts[i], parts[i + 1]);
  }
  return settings;
}

const std::string* find(const SharedKeys& settings, const std::string& key) {
  const auto found =
      std::ranges::find(settings, key, [](const auto& setting) { return setting.first; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string name_of(const std::string& key) {
  return key == kProgram || key == kCommand || is_override(key) ? key : "--" + key;
}

// "run", "bench read".
std::string command_text(const ConfigurationRecord& record) {
  const std::string& operation = record.operation;
  return command_name(record.command) + (operation.empty() ? "" : " " + operation);
}

std::string value_of(const std::string* value) {
  if (value == nullptr) return "no such key";
  return value->empty() ? "none" : printable(*value);
}

// In the order of the registry, and what only the other has at the end.
std::vector<std::string> different_keys(const SharedKeys& own, const SharedKeys& other) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : own) {
    const std::string* theirs = find(other, key);
    if (theirs == nullptr || *theirs != value) keys.push_back(key);
  }
  for (const auto& setting : other) {
    if (find(own, setting.first) == nullptr) keys.push_back(setting.first);
  }
  return keys;
}

void compare(const SharedKeys& own, const SharedKeys& other, const std::string& self,
             const std::string& peer) {
  const std::vector<std::string> keys = different_keys(own, other);
  if (keys.empty()) return;
  // Other commands have other keys, and other values of the same.
  const bool other_command = std::ranges::find(keys, kCommand) != keys.end();
  std::vector<std::string> more;
  for (std::size_t i = 1; i < keys.size(); ++i) more.push_back(name_of(keys[i]));
  throw ConfigurationError(
      fmt::format("{}: {} has {}, {} has {}; all processes of a cluster are told the same{}",
                  name_of(keys.front()), self, value_of(find(own, keys.front())), peer,
                  value_of(find(other, keys.front())),
                  more.empty() || other_command
                      ? ""
                      : fmt::format("; these differ, too: {}", fmt::join(more, ", "))));
}

// Settings that differ, for which peers end, go before these ends.
template <typename AgreeWith>
void name_difference(const AgreeWith& agree_with, NodeId peer) {
  try {
    agree_with(peer, 0);
  } catch (const PeerMissing&) {
    // It has told nothing of them.
  }
}

}  // namespace

void agree_with_peers(const FabricCommand& command, const std::string& commit,
                      rdma::Fabric& fabric) {
  const std::vector<NodeId>& hosted = fabric.hosted();
  if (hosted.size() == fabric.nodes()) return;
  rdma::Rendezvous& rendezvous = fabric.rendezvous();
  SharedKeys own = {{kProgram, commit}, {kCommand, command_text(command.record)}};
  own.insert(own.end(), command.record.shared.begin(), command.record.shared.end());
  for (const NodeId node : hosted) rendezvous.publish(node, kKey, bytes_of(own));
  std::vector<NodeId> left;
  for (std::uint32_t n = 0; n < fabric.nodes(); ++n) {
    const auto peer = static_cast<NodeId>(n);
    if (std::ranges::find(hosted, peer) == hosted.end()) left.push_back(peer);
  }
  const auto agree_with = [&](NodeId peer, Nanoseconds timeout) {
    compare(own, settings_of(rendezvous.fetch(peer, kKey, timeout)),
            rendezvous.describe(hosted.front()), rendezvous.describe(peer));
  };
  try {
    for (; !left.empty(); left.erase(left.begin())) {
      agree_with(left.front(), command.cluster.endpoint.bring_up_timeout);
    }
  } catch (const rdma::PeerEnded&) {
    for (const NodeId peer : left) name_difference(agree_with, peer);
    throw;
  }
}

void tell_error(const std::exception& error, rdma::Fabric& fabric) {
  const bool waited = dynamic_cast<const rdma::PeerLate*>(&error) != nullptr;
  fabric.rendezvous().end(error.what(), waited ? kShortLinger : kLinger);
  tell_strangers(fabric);
}

void tell_strangers(rdma::Fabric& fabric) {
  const std::uint64_t strangers = fabric.rendezvous().strangers();
  if (strangers == 0) return;
  std::fputs(
      fmt::format("verbena: {} to the address of this node {} no peer's, and closed\n",
                  strangers == 1 ? "one connection" : fmt::format("{} connections", strangers),
                  strangers == 1 ? "was" : "were")
          .c_str(),
      stderr);
}

}  // namespace verbena::experiments
