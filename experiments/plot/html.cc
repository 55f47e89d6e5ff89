// The page's frame, and what has to be escaped.
#include "experiments/plot/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace verbena::experiments {
namespace {

constexpr std::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

constexpr std::string_view kStyles =
    "</title>\n<style>\n"
    "body { font: 16px/1.4 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;\n"
    "  overflow-wrap: anywhere; }\n"
    // A table that is wider than the page scrolls by itself.
    "table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }\n"
    "td, th { border-bottom: 1px solid #ccc; padding: 0.2rem 0.6rem; text-align: left; }\n"
    "pre { overflow-x: auto; background: #f6f6f6; padding: 0.6rem; font-size: 13px; }\n"
    "img { max-width: 100%; }\n.holds { color: #00602b; }\n.fails { color: #a02000; }\n"
    ".unknown { color: #666; }\n"
    // On paper nothing scrolls.
    "@media print {\n"
    "  body { max-width: none; margin: 0; font-size: 11px; }\n"
    "  table { display: table; }\n"
    "  pre { white-space: pre-wrap; overflow: visible; font-size: 9px; }\n"
    "  img, tr { break-inside: avoid; }\n"
    "}\n</style>\n</head>\n<body>\n";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string page_head(std::string_view title) {
  return fmt::format("{}{}{}", kHead, escaped(title), kStyles);
}

std::string page_end() { return "</body>\n</html>\n"; }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string image(std::string_view svg, std::string_view what_it_shows) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n",
                     escaped(what_it_shows), base64(svg));
}

}  // namespace verbena::experiments
