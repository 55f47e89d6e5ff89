// Tags and attributes of XML, without what stands between them.
#include "simnic/platform_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "rdma/base/input_file.h"
#include "simnic/looping_profile.h"

namespace verbena::simnic {
namespace {

/// Settings of SimGrid's own models of networks, cores and MPI, none of which a cluster is made of.
constexpr std::array<std::string_view, 24> kWithoutEffect = {"bmf/max-iterations",
                                                             "bmf/precision",
                                                             "cpu/maxmin-selective-update",
                                                             "cpu/optim",
                                                             "maxmin/concurrency-limit",
                                                             "maxmin/precision",
                                                             "network/TCP-gamma",
                                                             "network/bandwidth-factor",
                                                             "network/crosstraffic",
                                                             "network/latency-factor",
                                                             "network/loopback-bw",
                                                             "network/loopback-lat",
                                                             "network/maxmin-selective-update",
                                                             "network/optim",
                                                             "network/weight-S",
                                                             "smpi/IB-penalty-factors",
                                                             "smpi/async-small-thresh",
                                                             "smpi/bw-factor",
                                                             "smpi/host-speed",
                                                             "smpi/lat-factor",
                                                             "smpi/ois",
                                                             "smpi/or",
                                                             "smpi/os",
                                                             "smpi/send-is-detached-thresh"};

/// A start tag, or an end tag, whose name begins with a slash.
struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string content;  ///< up to the next tag

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Reads tags one after another. What is no XML is SimGrid's to refuse: here it ends the text.
class TagReader {
 public:
  explicit TagReader(std::string text) : text_(std::move(text)) {}

  bool next(Tag& tag) {
    while ((at_ = text_.find('<', at_)) != std::string::npos) {
      if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>")) continue;
      if (skip("<!", ">")) continue;
      ++at_;
      tag = {.name = word(), .attributes = {}, .content = {}};
      read_attributes(tag);
      tag.content = text_until_next_tag();
      return true;
    }
    return false;
  }

 private:
  bool skip(std::string_view begin, std::string_view end) {
    if (text_.compare(at_, begin.size(), begin) != 0) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string::npos ? text_.size() : found + end.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string text_until_next_tag() const {
    const std::size_t begin = std::min(text_.find('>', at_), text_.size() - 1) + 1;
    return text_.substr(begin, text_.find('<', begin) - begin);
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '=' && text_[at_] != '>' &&
           (text_[at_] != '/' || at_ == begin)) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void read_attributes(Tag& tag) {
    while (true) {
      skip_spaces();
      if (at_ >= text_.size() || text_[at_] == '>' || text_[at_] == '/') return;
      const std::string key = word();
      skip_spaces();
      if (key.empty() || at_ >= text_.size() || text_[at_] != '=') return;
      ++at_;
      skip_spaces();
      if (at_ >= text_.size()) return;
      const char quote = text_[at_++];
      const std::size_t end = text_.find(quote, at_);
      if (end == std::string::npos) return;
      tag.attributes[key] = text_.substr(at_, end - at_);
      at_ = end + 1;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
};

void check_setting(const std::string& key) {
  if (std::ranges::find(kWithoutEffect, key) != kWithoutEffect.end()) return;
  throw std::runtime_error("its <config> sets " + key +
                           "; allowed are settings of SimGrid's models of networks, CPUs and MPI "
                           "that nothing here uses, such as network/latency-factor");
}

void add_host_profiles(const Tag& tag, PlatformText& text) {
  if (tag.name == "host" || tag.name == "peer") {
    for (const char* key : {"state_file", "speed_file", "availability_file"}) {
      const std::string file = tag.attribute(key);
      if (!file.empty()) text.host_profiles[tag.attribute("id")] = key + (" " + file);
    }
  }
  if (tag.name == "trace_connect") {
    const std::string kind = tag.attribute("kind");
    if (kind == "HOST_AVAIL" || kind == "SPEED" || kind == "POWER") {
      text.host_profiles[tag.attribute("element")] = "trace " + tag.attribute("trace");
    }
  }
}

// Profiles that would keep SimGrid at one instant for ever.
void check_loops(const Tag& tag, const std::string& platform) {
  for (const auto& [key, value] : tag.attributes) {
    const bool names_file = key.ends_with("_file") || (tag.name == "trace" && key == "file");
    if (names_file && !value.empty()) check_loop_of_file(platform, value);
  }
  if (tag.name == "trace") check_loop("profile " + tag.attribute("id"), tag.content);
}

}  // namespace

PlatformText read_platform_text(const std::string& path) {
  TagReader reader(read_input_file(path, "platform " + path));
  PlatformText text;
  bool in_config = false;
  for (Tag tag; reader.next(tag);) {
    if (tag.name == "config") in_config = true;
    if (tag.name == "/config") in_config = false;
    if (in_config && tag.name == "prop") {
      check_setting(tag.attribute("id"));
      text.settings.emplace_back(tag.attribute("id"), tag.attribute("value"));
    }
    if (tag.name == "include") {
      throw std::runtime_error("has an <include>; expected all of the platform in one file");
    }
    check_loops(tag, path);
    add_host_profiles(tag, text);
  }
  return text;
}

}  // namespace verbena::simnic
