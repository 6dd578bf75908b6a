#include "data/alignment.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <tuple>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr int too_large = std::numeric_limits<int>::max();  // never below a number of tokens

// Takes digits off the front of `text`; false if there are none. A number that fits no int becomes `too_large`.
bool take_number(std::string_view& text, int& number) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;  // from_chars would take a minus
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) number = too_large;
  text.remove_prefix(as_size(end - text.data()));
  return true;
}

Link parse_link(std::string_view text, int source_tokens, int target_tokens) {
  constexpr std::size_t shown = 40;
  const auto shown_text = [&] {
    return text.size() <= shown ? printable(text) : printable(text.substr(0, shown)) + "...";
  };
  Link link;
  std::string_view rest = text;
  bool sound = take_number(rest, link.source) && !rest.empty() && (rest.front() == '-' || rest.front() == 'p');
  if (sound) {
    link.sure = rest.front() == '-';
    rest.remove_prefix(1);
    sound = take_number(rest, link.target) && rest.empty();
  }
  if (!sound) {
    throw data_error("\"{}\" is no link: i-j (sure) or ipj (possible) is needed, i below {} and j below {}",
                     shown_text(), source_tokens, target_tokens);
  }
  if (link.source >= source_tokens || link.target >= target_tokens) {
    throw data_error("link \"{}\" is out of range: the source has {} tokens and the target {}, counted from 0",
                     shown_text(), source_tokens, target_tokens);
  }
  return link;
}

}  // namespace

std::vector<Link> parse_links(std::string_view text, int source_tokens, int target_tokens) {
  std::vector<Link> links;
  for (std::size_t start = 0; (start = text.find_first_not_of(' ', start)) != text.npos;) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    links.push_back(parse_link(text.substr(start, end - start), source_tokens, target_tokens));
    start = end;
  }
  const auto order = [](const Link& link) { return std::tuple(link.source, link.target, !link.sure); };
  std::sort(links.begin(), links.end(), [&](const Link& a, const Link& b) { return order(a) < order(b); });
  const auto same_words = [](const Link& a, const Link& b) { return a.source == b.source && a.target == b.target; };
  links.erase(std::unique(links.begin(), links.end(), same_words), links.end());
  return links;
}

}  // namespace fovea
