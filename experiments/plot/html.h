// Pieces of pages that need nothing besides themselves.
#pragma once

#include <string>
#include <string_view>

namespace verbena::experiments {

/// From the beginning of a page up to and including <body>, with the styles that all pages have.
/// Rows of tables may have the classes holds, fails and unknown.
std::string page_head(std::string_view title);

/// End of the page.
std::string page_end();

/// `text` as the content of an element or of an attribute.
std::string escaped(std::string_view text);

/// A drawing within the page.
std::string image(std::string_view svg, std::string_view what_it_shows);

}  // namespace verbena::experiments
