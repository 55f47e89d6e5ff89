// The fabric over a simulated cluster.
#include "simnic/sim_fabric.h"

#include <simgrid/forward.h>
#include <simgrid/version.h>

#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"
#include "rdma/seam/first_touch_memory.h"
#include "rdma/seam/in_memory_rendezvous.h"
#include "simnic/nic/cluster.h"
#include "simnic/verbs/control_path.h"
#include "simnic/world/simgrid_world.h"

namespace verbena::simnic {
namespace {

/// Ends the looks at a cluster with a run, however that ends.
struct LooksEnd {
  Cluster& cluster;
  ~LooksEnd() { cluster.look_between({}); }
};

class SimFabric final : public rdma::Fabric {
 public:
  explicit SimFabric(const SimOptions& options)
      : cluster_(options), world_(cluster_), hosted_(options.nodes) {
    if (options.page_arena == nullptr) own_page_arena_ = rdma::PageArena::reserve();
    // Meetings tell places apart by page.
    if (rdma::PageArena* arena = page_arena()) {
      arena->set_least_unit_bytes(cluster_.options().chaos ? rdma::FirstTouchMemory::kPageBytes
                                                           : kCacheLineBytes);
    }
    std::iota(hosted_.begin(), hosted_.end(), NodeId{0});
  }
  ~SimFabric() override { deselect_node(cluster_); }

  std::uint32_t nodes() const override { return cluster_.options().nodes; }
  const std::vector<NodeId>& hosted() const override { return hosted_; }

  const rdma::VerbsTable& verbs(NodeId node) override {
    if (node >= nodes()) {
      throw ConfigurationError("node " + std::to_string(node) + " does not exist, there are " +
                               std::to_string(nodes()) + " nodes");
    }
    select_node(cluster_, node);
    return sim_verbs_table();
  }

  rdma::Rendezvous& rendezvous() override { return rendezvous_; }

  bool has_one_clock() const override { return true; }
  void keep_order() override { cluster_.keep_order(); }
  void look_between(std::function<void(Nanoseconds)> look) override {
    cluster_.look_between([look = std::move(look)](Picoseconds now) { look(to_nanoseconds(now)); });
  }

  rdma::PageArena* page_arena() override {
    return own_page_arena_ != nullptr ? own_page_arena_.get() : cluster_.options().page_arena;
  }

  void begin_warm(std::uint64_t seed) override { cluster_.fill_caches(seed); }

  void run(std::vector<rdma::CoreTask> tasks) override {
    cluster_.start(std::move(tasks));
    const LooksEnd end{cluster_};
    const Windows::Progress progress = world_.run();
    if (const std::exception_ptr exception = cluster_.take_exception()) rethrow(exception);
    if (progress == Windows::Progress::kNothingToDo) {
      throw std::runtime_error(
          "deadlock at " + format_duration(to_nanoseconds(cluster_.now())) +
          " of simulated time: every core idles for ever and nothing is under way");
    }
  }

  std::uint64_t moment(NodeId node) override {
    return cluster_.node(node).timeline().next_moment();
  }
  std::uint64_t moment_at(Nanoseconds now) const override {
    return Timeline::moment_at(to_picoseconds(now));
  }

  std::map<std::string, std::uint64_t> counters(NodeId node) override {
    std::map<std::string, std::uint64_t> sum;
    for (const Nic* nic : cluster_.nics()) {
      if (nic->node == node) add_named(nic->counters, sum);
    }
    return sum;
  }

  rdma::FabricUse use() const override { return cluster_.use(); }

  std::string place_of(const rdma::StationUse& station) const override {
    return cluster_.place_of(station);
  }
  std::optional<NodeId> node_of(const rdma::StationUse& station) const override {
    return cluster_.node_of(station);
  }

  std::vector<rdma::ThreadBound> thread_bounds() const override { return cluster_.thread_bounds(); }

  std::uint64_t trace_digest() const override { return cluster_.trace_digest(); }

 private:
  // A peer that does not answer may be behind a link that is down.
  [[noreturn]] void rethrow(const std::exception_ptr& exception) const {
    try {
      std::rethrow_exception(exception);
    } catch (const PeerMissing& error) {
      const std::string down = world_.links_down();
      if (down.empty()) throw;
      throw PeerMissing(
          std::string(error.what()) + "; " + down + ", and it is " +
          format_duration(to_nanoseconds(cluster_.now()) / 1000 * std::int64_t{1000}) +
          " of simulated time");
    }
  }

  std::unique_ptr<rdma::PageArena> own_page_arena_;
  Cluster cluster_;
  SimGridWorld world_;
  std::vector<NodeId> hosted_;
  rdma::InMemoryRendezvous rendezvous_;
};

}  // namespace

std::unique_ptr<rdma::Fabric> make_sim_fabric(const SimOptions& options) {
  return std::make_unique<SimFabric>(options);
}

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) +
         (patch == 0 ? "" : "." + std::to_string(patch));
}

}  // namespace verbena::simnic
