// JUnit XML: suites, cases, and what XML does not take as it is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "experiments/hunt/hunt_document.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

using nlohmann::json;

// The text as well-formed UTF-8, whatever bytes there are.
std::string utf8(const std::string& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

// As content, or as an attribute's value between double quotes. Most control characters may not
// stand in XML in any way.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : utf8(text)) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      case '\n':
      case '\t':
      case '\r':
        all += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        all += static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? '?' : c;
    }
  }
  return all;
}

std::string failure_case(const RecordedFailure& failure) {
  std::string text = fmt::format(
      "    <testcase classname=\"hunt.{}\" name=\"seed {}, {}\">\n"
      "      <failure type=\"{}\" message=\"{}\">",
      escaped(failure.system), failure.seed, escaped(failure.workload),
      outcome_name(failure.outcome), escaped(failure.why));
  if (!failure.smallest.empty()) text += escaped("smallest: " + failure.smallest) + "\n";
  text += escaped("as drawn: " + failure.as_drawn);
  return text + "</failure>\n    </testcase>\n";
}

std::string suite(const HuntRecord& record, const std::string& system,
                  const std::map<std::string, std::uint64_t>& outcomes) {
  std::string cases;
  std::uint64_t failed = 0;
  for (const RecordedFailure& failure : record.failures) {
    if (failure.system != system) continue;
    cases += failure_case(failure);
    ++failed;
  }
  const auto passed = outcomes.find(outcome_name(Outcome::kPassed));
  const std::uint64_t held = passed == outcomes.end() ? 0 : passed->second;
  if (held > 0) {
    cases += fmt::format("    <testcase classname=\"hunt.{}\" name=\"{} passed\"/>\n",
                         escaped(system), counted(held, "run"));
  }
  return fmt::format("  <testsuite name=\"hunt.{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n",
                     escaped(system), failed + (held > 0 ? 1 : 0), failed) +
         cases + "  </testsuite>\n";
}

}  // namespace

std::string hunt_junit(const HuntRecord& record) {
  std::string suites;
  std::uint64_t tests = 0;
  for (const auto& [system, outcomes] : record.by_system) {
    suites += suite(record, system, outcomes);
    tests += outcomes.contains(outcome_name(Outcome::kPassed)) ? 1 : 0;
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuites name=\"verbena hunt\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
             "time=\"{:.3f}\">\n",
             tests + record.failures.size(), record.failures.size(), record.wall_seconds) +
         suites + "</testsuites>\n";
}

}  // namespace verbena::experiments
