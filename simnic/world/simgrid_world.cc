// The RNIC model in SimGrid's engine, and what it asks of SimGrid's links and routes.
#include "simnic/world/simgrid_world.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/time.h"
#include "rdma/base/value_text.h"
#include "simnic/wire/topology_spec.h"
#include "simnic/world/engine.h"
#include "simnic/world/loaded_platform.h"
#include "simnic/world/platform.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;

/// SimGrid's clock follows ours at least this often, so that other models, traces and profiles see
/// time pass.
constexpr Picoseconds kLongestStep = to_picoseconds(100 * kMicrosecond);

/// The RNIC cluster as a SimGrid model. The engine asks when the next thing happens; the model then
/// simulates the NICs up to the time that the other models allow, and answers with the time it got
/// to. So the engine's loop runs once per step, not once per event: it costs several hundred
/// nanoseconds of wall time, an event some tens.
class RnicModel final : public simgrid::kernel::resource::Model {
 public:
  /// `may_go_on` is asked before each step. Links with `profiles` are the only ones besides us to
  /// do anything in SimGrid's time.
  RnicModel(Cluster& cluster, bool profiles, std::function<bool()> may_go_on)
      : Model("RNIC"),
        cluster_(cluster),
        profiles_(profiles),
        epoch_(s4u::Engine::get_clock()),
        may_go_on_(std::move(may_go_on)) {}

  /// The engine runs as long as one of `actors` lives: until the cores have ended.
  void begin(std::vector<s4u::ActorPtr> actors) {
    actors_ = std::move(actors);
    progress_ = Windows::Progress::kLimitReached;
    running_ = true;
    if (profiles_ && timer_ == nullptr) set_timer();
  }
  Windows::Progress progress() const { return progress_; }

  bool next_occurring_event_is_idempotent() override { return false; }

  double next_occurring_event(double bound) override {
    if (!running_) return -1;
    Picoseconds limit = cluster_.now() + kLongestStep;
    if (bound >= 0) {
      const double until = s4u::Engine::get_clock() - epoch_ + bound;
      // Clocks of floating point may be a little behind: time goes on nevertheless.
      limit = std::clamp(from_seconds(until), cluster_.now() + Picoseconds(std::int64_t{1}), limit);
    }
    const bool alone = profiles_ || bound < 0;
    progress_ = may_go_on_() ? cluster_.advance(limit, alone) : Windows::Progress::kFailed;
    if (progress_ != Windows::Progress::kLimitReached) {
      running_ = false;
      cluster_.stop();
    }
    return std::max(0.0, epoch_ + to_seconds(cluster_.now()) - s4u::Engine::get_clock());
  }

  void update_actions_state(double, double) override {
    if (running_) return;
    for (const s4u::ActorPtr& actor : actors_) actor->resume();
    actors_.clear();
    if (timer_ != nullptr) std::exchange(timer_, nullptr)->remove();
  }

 private:
  /// A model is told of the next change of a profile only where something else is due, too: so
  /// there always is.
  void set_timer() {
    timer_ = simgrid::kernel::timer::Timer::set(s4u::Engine::get_clock() + to_seconds(kLongestStep),
                                                [this] {
                                                  timer_ = nullptr;
                                                  if (running_) set_timer();
                                                });
  }

  Cluster& cluster_;
  bool profiles_;
  simgrid::kernel::timer::Timer* timer_ = nullptr;  ///< while we run; the engine's
  double epoch_;  ///< SimGrid's clock at our time 0: it goes on from engine to engine
  std::function<bool()> may_go_on_;
  std::vector<s4u::ActorPtr> actors_;
  Windows::Progress progress_ = Windows::Progress::kAllFinished;
  bool running_ = false;
};

}  // namespace

class SimGridWorld::Implementation final : public Topology {
 public:
  explicit Implementation(Cluster& cluster) : cluster_(cluster) {
    const SimOptions& options = cluster.options();
    if (options.loaded_platform != nullptr) {
      engine_ = &options.loaded_platform->take_engine();
    } else {
      if (!options.platform.empty()) check_platform_file(options.platform, options.nodes);
      own_engine_ = make_engine();
      engine_ = own_engine_.get();
      if (!options.platform.empty()) load_platform_file(options.platform);
    }
    platform_ = build_platform(cluster);
    model_ = std::make_shared<RnicModel>(cluster, !options.platform.empty(), [this] {
      follow_latencies();
      return broken_.empty();
    });
    engine_->add_model(model_);
    set_apart();
    cluster_.set_topology(*this);
    // Profiles, other models and programs may fail links and change them: the model follows.
    // SimGrid has no way to take a callback back, so it outlives us and must see that we are gone.
    self_ = std::make_shared<Implementation*>(this);
    const std::weak_ptr<Implementation*> listener = self_;
    const auto callback = [listener](const s4u::Link& link) {
      if (const auto self = listener.lock()) (*self)->follow(link);
    };
    s4u::Link::on_state_change_cb(callback);
    s4u::Link::on_bandwidth_change_cb(callback);
  }
  ~Implementation() override = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  Route route(std::uint32_t from, std::uint32_t to) override {
    if (is_known(from, to)) {
      return {.latency = least_latency, .links = {up_[from], down_[to]}, .own_cable = true};
    }
    Route route = find_route(from, to);
    if (apart && route.links.size() == 2) {
      up_[from] = route.links.front();
      down_[to] = route.links.back();
    }
    return route;
  }

  Windows::Progress run() {
    std::vector<s4u::ActorPtr> actors;
    for (const std::unique_ptr<Node>& node : cluster_.nodes()) {
      const Timeline& timeline = node->timeline();
      if (timeline.cores().empty()) continue;
      actors.push_back(s4u::Actor::create("node-" + std::to_string(timeline.node()),
                                          platform_.hosts[timeline.node()],
                                          [] { s4u::this_actor::suspend(); }));
    }
    if (actors.empty()) return Windows::Progress::kAllFinished;
    model_->begin(std::move(actors));
    engine_->run();
    if (!broken_.empty()) throw ConfigurationError(broken_);
    return model_->progress();
  }

  std::string links_down() const {
    constexpr std::size_t kNamed = 4;
    std::string text;
    std::size_t named = 0;
    for (const rdma::LinkOutage& outage : outages) {
      if (outage.until) continue;
      if (++named > kNamed) return text + " and others";
      text += (text.empty() ? "link " : ", link ") + outage.link + " is down since " +
              format_duration(to_nanoseconds(outage.from));
    }
    return text;
  }

 private:
  /// True if both cables of a way in a star have their numbers. Once all have, SimGrid is asked for
  /// no way any more.
  bool is_known(std::uint32_t from, std::uint32_t to) const {
    return apart && up_[from] != Nic::kNoLink && down_[to] != Nic::kNoLink &&
           platform_.ports[from] != platform_.ports[to];
  }

  Route find_route(std::uint32_t from, std::uint32_t to) {
    Route route;
    if (platform_.ports[from] == platform_.ports[to]) {
      route.latency = cluster_.fabric().loopback_latency;
      route.own_cable = true;
      return route;
    }
    const Way way = find_way(platform_, from, to);
    route.latency = way.latency;
    // Networks of ours have a cable for each NIC. In platforms several links may meet at a host.
    route.own_cable = cluster_.options().platform.empty();
    route.links.reserve(way.links.size());
    for (const s4u::Link* link : way.links) route.links.push_back(number_of(link));
    if (!cluster_.options().platform.empty()) {
      end_for(route_error(*platform_.ports[from], *platform_.ports[to], way.link_seconds));
    }
    // Events have to have a time, even those of a run that ends.
    if (!broken_.empty()) route.latency = 0;
    return route;
  }

  void set_apart() {
    const SimOptions& options = cluster_.options();
    apart = options.platform.empty() && options.nodes > 1 &&
            parse_topology(options.topology, options.nodes, options.nics_per_node).kind ==
                TopologySpec::Kind::kStar;
    // All ways of a star are alike.
    if (!apart) return;
    least_latency = find_way(platform_, 0, options.nics_per_node).latency;
    up_.assign(platform_.ports.size(), Nic::kNoLink);
    down_.assign(platform_.ports.size(), Nic::kNoLink);
  }

  std::uint32_t number_of(const s4u::Link* link) {
    const auto [place, is_new] =
        numbers_.try_emplace(link, static_cast<std::uint32_t>(links.size()));
    if (is_new) {
      links.emplace_back();
      link_names.push_back(link->get_name());
      links.back().shared = link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE;
      latencies_.emplace_back(link, link->get_latency());
      follow(*link);
      if (cluster_.observer() != nullptr) {
        cluster_.observer()->name_link(place->second, link_names.back());
      }
    }
    return place->second;
  }

  /// Takes over the state of `link`; its rate, if a route uses it.
  void follow(const s4u::Link& link) {
    if (link.is_on()) {
      down_since_.erase(&link);
    } else {
      down_since_.try_emplace(&link, cluster_.now());
    }
    const auto place = numbers_.find(&link);
    if (place == numbers_.end()) return;
    check(link);
    Link& own = links[place->second];
    if (broken_.empty()) own.rate = std::llround(1e12 * 1024 / link.get_bandwidth());
    if (own.up == link.is_on()) return;
    own.up = link.is_on();
    own.up ? end_outage(link) : begin_outage(link);
  }

  void begin_outage(const s4u::Link& link) {
    const Picoseconds from = down_since_.at(&link);
    outages.insert(std::ranges::upper_bound(outages, from, {}, &rdma::LinkOutage::from),
                   {.link = link.get_name(), .from = from, .until = {}});
  }

  void end_outage(const s4u::Link& link) {
    const auto last = std::find_if(outages.rbegin(), outages.rend(), [&](const auto& outage) {
      return outage.link == link.get_name();
    });
    last->until = cluster_.now();
  }

  /// SimGrid tells nobody when the profile of a link, as platform files may have it, changes its
  /// latency. Its clock stops at such times.
  void follow_latencies() {
    if (cluster_.options().platform.empty()) return;
    bool changed = false;
    for (auto& [link, latency] : latencies_) {
      if (link->get_latency() == latency) continue;
      latency = link->get_latency();
      check(*link);
      changed = true;
    }
    if (changed && broken_.empty()) cluster_.forget_ways();
  }

  /// Ends the run when a profile has made of a link what no simulation is made for.
  void check(const s4u::Link& link) { end_for(link_error(link)); }

  /// Ends the run unless `error` is empty.
  void end_for(const std::string& error) {
    if (error.empty() || !broken_.empty()) return;
    broken_ = "platform " + cluster_.options().platform + ": at " +
              format_duration(to_nanoseconds(cluster_.now())) + " " + error;
  }

  Cluster& cluster_;
  // In a star, by NIC: the numbers of its cable's directions; Nic::kNoLink: not asked for yet.
  std::vector<std::uint32_t> up_;
  std::vector<std::uint32_t> down_;
  std::unique_ptr<s4u::Engine> own_engine_;  ///< null: the loaded platform's is used
  s4u::Engine* engine_ = nullptr;
  Platform platform_;
  /// Numbers of links that routes use; SimGrid has one object per link.
  std::unordered_map<const s4u::Link*, std::uint32_t> numbers_;
  /// The same links, and the seconds that our routes have taken of each.
  std::vector<std::pair<const s4u::Link*, double>> latencies_;
  std::string broken_;  ///< why the simulation cannot go on; empty: it can
  /// Links that are down, whether routes use them or not.
  std::unordered_map<const s4u::Link*, Picoseconds> down_since_;
  std::shared_ptr<Implementation*> self_;
  std::shared_ptr<RnicModel> model_;
};

SimGridWorld::SimGridWorld(Cluster& cluster)
    : implementation_(std::make_unique<Implementation>(cluster)) {}
SimGridWorld::~SimGridWorld() = default;
Windows::Progress SimGridWorld::run() { return implementation_->run(); }
std::string SimGridWorld::links_down() const { return implementation_->links_down(); }

}  // namespace verbena::simnic
