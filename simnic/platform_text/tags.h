// Tags of XML and their attributes, one after another.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace verbena::simnic {

/// A start tag, or an end tag, whose name begins with a slash.
struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string content;  ///< text up to the next tag, without comments
  bool ends = false;    ///< it is its own end, as <link_ctn id="1"/> is

  /// Value of an attribute, or nothing.
  std::string attribute(const std::string& key) const;
};

/// Reads a text's tags. What is no XML is SimGrid's to refuse: here it ends the text.
class TagReader {
 public:
  explicit TagReader(std::string text);

  /// Reads the next tag; false at the end of the text.
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
