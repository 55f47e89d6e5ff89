// Reads tags of XML and their attributes, one after another.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace verbena::simnic {

/// A start tag or an end tag. The name of an end tag begins with a slash.
struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string content;  ///< text up to the next tag, without comments
  bool ends = false;    ///< it ends itself, as <link_ctn id="1"/> does

  /// Returns the value of an attribute, or nothing.
  std::string attribute(const std::string& key) const;
};

/// Reads a text's tags. Malformed XML ends the text here; SimGrid refuses it.
class TagReader {
 public:
  explicit TagReader(std::string text);

  /// Reads the next tag; returns false at the end of the text.
  bool next(Tag& tag);

 private:
  bool skip(std::string_view begin, std::string_view end);
  bool skip_what_is_no_tag();
  void skip_spaces();
  std::string word();
  void read_attributes(Tag& tag);
  std::string read_content();

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace verbena::simnic
