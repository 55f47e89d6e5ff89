// A reader of XML that knows tags, comments and the entities that SimGrid's reader knows.
#include "simnic/platform_text/tags.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace verbena::simnic {
namespace {

constexpr std::string_view kCdata = "<![CDATA[";
constexpr std::string_view kCdataEnd = "]]>";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The character that `entity`, without & and ;, stands for; as SimGrid reads it, a byte.
std::string character_of(const std::string& entity) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}, {"quot", '"'}}};
  for (const auto& [name, character] : kNamed) {
    if (entity == name) return {character};
  }
  if (!entity.starts_with('#')) return "&" + entity + ";";
  const bool hexadecimal = entity.starts_with("#x");
  const char* digits = entity.c_str() + (hexadecimal ? 2 : 1);
  return {static_cast<char>(std::strtol(digits, nullptr, hexadecimal ? 16 : 10))};
}

std::string without_entities(std::string_view text) {
  std::string plain;
  while (true) {
    const std::size_t begin = std::min(text.find('&'), text.size());
    const std::size_t end = text.find(';', begin);
    plain += text.substr(0, end == std::string_view::npos ? text.size() : begin);
    if (end == std::string_view::npos) return plain;
    plain += character_of(std::string(text.substr(begin + 1, end - begin - 1)));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Tag::attribute(const std::string& key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? "" : found->second;
}

TagReader::TagReader(std::string text) : text_(std::move(text)) {}

bool TagReader::next(Tag& tag) {
  while ((at_ = text_.find('<', at_)) != std::string::npos) {
    if (skip_what_is_no_tag()) continue;
    ++at_;
    tag = {.name = word(), .attributes = {}, .content = {}};
    read_attributes(tag);
    tag.ends = at_ < text_.size() && text_[at_] == '/';
    at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
    tag.content = read_content();
    return true;
  }
  return false;
}

bool TagReader::skip(std::string_view begin, std::string_view end) {
  if (text_.compare(at_, begin.size(), begin) != 0) return false;
  const std::size_t found = text_.find(end, at_ + begin.size());
  at_ = found == std::string::npos ? text_.size() : found + end.size();
  return true;
}

bool TagReader::skip_what_is_no_tag() {
  return skip("<!--", "-->") || skip(kCdata, kCdataEnd) || skip("<?", "?>") || skip("<!", ">");
}

void TagReader::skip_spaces() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

std::string TagReader::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '=' && text_[at_] != '>' &&
         (text_[at_] != '/' || at_ == begin)) {
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

void TagReader::read_attributes(Tag& tag) {
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
    tag.attributes[key] = without_entities(std::string_view(text_).substr(at_, end - at_));
    at_ = end + 1;
  }
}

std::string TagReader::read_content() {
  std::string content;
  while (true) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('<', begin), text_.size());
    content += without_entities(std::string_view(text_).substr(begin, at_ - begin));
    const std::size_t special = at_;
    if (!skip_what_is_no_tag()) return content;
    const std::string_view skipped = std::string_view(text_).substr(special, at_ - special);
    if (skipped.starts_with(kCdata) && skipped.ends_with(kCdataEnd)) {
      content += skipped.substr(kCdata.size(), skipped.size() - kCdata.size() - kCdataEnd.size());
    }
  }
}

}  // namespace verbena::simnic
