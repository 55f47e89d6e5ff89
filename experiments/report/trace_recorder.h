// A timeline of a simulated run, for Perfetto and chrome://tracing.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/config/keys/fabric_command.h"
#include "experiments/report/files/output_file.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// Keeps what the model tells and writes it as Chrome trace events in JSON: a process for each node
/// and one for the network, a thread for each core, for each coroutine of transactions, for each
/// resource of a NIC that has a queue, and one for each link. A slice is a visit of a request to a
/// resource, code that a core ran, within which those lie that post or poll, or a transaction.
/// Arrows lead from slice to slice of a request, from the transaction that it is for, if it is, and
/// from where a core posts it to where one polls its completion. Slices begin at `trace_from` or
/// later; after `trace_limit` of them the rest is left out, and their number told in `otherData`.
class TraceRecorder final : public simnic::Observer {
 public:
  /// Throws ConfigurationError when the file that `command` names cannot be written.
  explicit TraceRecorder(const FabricCommand& command);

  void begin(simnic::Stage stage, const simnic::RequestIdentity& request,
             Picoseconds time) override;
  void visit(const simnic::Visit& visit) override;
  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override;
  void name_link(std::uint32_t number, const std::string& name) override;
  void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) override;
  void on_core(NodeId node, WorkerId worker) override;
  void noted(const simnic::CoreMoment& core, rdma::Notice notice, std::uint64_t what) override;
  void posts(const simnic::CoreMoment& core, const simnic::RequestIdentity& request,
             std::uint64_t address) override;

  /// Throws ConfigurationError, which says when the run ended, if nothing happened from the
  /// timeline's begin on.
  void check() const;

  /// Writes the file. Equal runs give equal files.
  void commit() const;

 private:
  /// Its process is a node's number, or kNetwork.
  struct Track {
    std::uint32_t process;
    std::uint32_t thread;
    auto operator<=>(const Track&) const = default;
  };
  enum class Kind : std::uint8_t { kRequest, kCode, kTransaction };
  struct Slice {
    Track track;
    Picoseconds begin;
    Picoseconds duration;
    Kind kind;
    simnic::Stage stage = {};
    simnic::Station station = {};
    simnic::RequestIdentity request = {};
  };
  /// A place of a slice or within one.
  struct Moment {
    Track track;
    Picoseconds time;
  };
  /// The name of a request for ever: the requester's NIC, the queue pair, the index there.
  using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static constexpr std::uint32_t kNetwork = 1U << 20;

  void add(const Slice& slice);
  Track coroutine_of(const simnic::CoreMoment& core) const;
  std::map<Name, std::vector<Moment>> chains() const;
  Track track_of(const simnic::Visit& visit) const;
  std::string name_of(const Track& track) const;
  void add_arrows(fmt::memory_buffer& text) const;
  static std::pair<std::string, const char*> texts_of(const Slice& slice);
  std::string document() const;

  OutputFile file_;
  std::uint32_t nics_per_node_;
  std::uint64_t limit_;
  Picoseconds from_;
  std::vector<Slice> slices_;
  std::uint64_t left_out_ = 0;
  Picoseconds last_ = 0;  ///< begin of the last slice, written or not
  std::map<std::uint32_t, std::string> link_names_;
  std::map<Track, std::uint64_t> running_;              ///< fiber of each core
  std::map<Track, Picoseconds> begun_;                  ///< transactions that run, by coroutine
  std::unordered_map<std::uint64_t, Moment> composed_;  ///< messages, by address
  std::map<Name, Moment> origins_;                      ///< of requests
  // The stage that began last.
  simnic::Stage stage_ = simnic::Stage::kPost;
  simnic::RequestIdentity request_{};
  Picoseconds core_clock_ = 0;
  Track core_{};
};

/// Null when `command` asks for none.
std::unique_ptr<TraceRecorder> make_trace(const FabricCommand& command);

}  // namespace verbena::experiments
