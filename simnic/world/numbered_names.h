// Order of names as people count: numbers in them compare by value.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace verbena::simnic {

/// True when `a` comes before `b`. Digits next to each other compare as one number, so node-9 comes
/// before node-10. Names that differ only in leading zeros compare by characters.
inline bool numbered_before(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto number = [&](const std::string& text, std::size_t& at) {
    std::size_t begin = at;
    while (at < text.size() && digit(text[at])) ++at;
    while (begin + 1 < at && text[begin] == '0') ++begin;
    return text.substr(begin, at - begin);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string left = number(a, i);
      const std::string right = number(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (i == a.size() && j == b.size()) return a < b;
  return i == a.size();
}

/// Keeps the first `count` of `items` in the order of their names, which must differ; or all.
template <typename Item, typename Name>
void keep_first_numbered(std::vector<Item>& items, std::size_t count, Name name) {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(count, items.size()));
  std::partial_sort(items.begin(), end, items.end(), [&](const Item& a, const Item& b) {
    return numbered_before(name(a), name(b));
  });
  items.erase(end, items.end());
}

}  // namespace verbena::simnic
