// A small check that markup is well-formed XML: one root, tags nested and closed, attributes quoted and unique, known
// entities, allowed characters. It also collects what is drawn, so that tests can ask for it.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace fovea {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside
};

class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) { run(); }

  std::string problem;  // empty if well-formed
  std::vector<XmlElement> elements;

  std::vector<XmlElement> named(std::string_view name) const {
    std::vector<XmlElement> found;
    for (const XmlElement& element : elements) {
      if (element.name == name) found.push_back(element);
    }
    return found;
  }

 private:
  void fail(const std::string& what) {
    if (problem.empty()) problem = what + " near \"" + std::string(text_.substr(at_ < 20 ? 0 : at_ - 20, 60)) + "\"";
  }

  void run() {
    if (find_invalid_utf8(text_)) return fail("bad UTF-8");
    for (std::string_view part : characters(text_)) {
      const char32_t c = decode_utf8(part);
      if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff) {
        return fail("a forbidden character");
      }
    }
    if (text_.starts_with("<!DOCTYPE html>")) at_ = 15;
    while (at_ < text_.size() && problem.empty()) text_[at_] == '<' ? tag() : content();
    if (!open_.empty()) fail("never closed: " + elements[open_.back()].name);
    if (roots_ != 1) fail("not one root");
  }

  // The five entities and character references; the result is the text meant.
  std::string plain(std::string_view raw) {
    std::string result;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '<') fail("< where it may not be");
      if (raw[i] != '&') {
        result += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const std::string_view name = end == raw.npos ? "" : raw.substr(i + 1, end - i - 1);
      const std::map<std::string_view, std::string> known = {{"amp", "&"},   {"lt", "<"},  {"gt", ">"},
                                                             {"quot", "\""}, {"#39", "'"}, {"#160", "\u00a0"}};
      if (!known.contains(name)) return fail("an unknown entity"), result;
      result += known.at(name);
      i = end;
    }
    return result;
  }

  void content() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string meant = plain(text_.substr(at_, end - at_));
    if (!open_.empty()) {
      elements[open_.back()].text += meant;
    } else if (meant.find_first_not_of(" \n") != meant.npos) {
      fail("text outside the root");
    }
    at_ = end;
  }

  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':'; }
  std::string name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == start) fail("a name is missing");
    return std::string(text_.substr(start, at_ - start));
  }

  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  void tag() {
    if (take("</")) {
      const std::string closed = name();
      if (open_.empty() || elements[open_.back()].name != closed || !take(">")) return fail("wrong end tag");
      open_.pop_back();
      return;
    }
    take("<");
    XmlElement element{name(), {}, {}};
    while (problem.empty() && take(" ")) {
      const std::string key = name();
      if (!take("=\"")) return fail("an attribute without a quoted value");
      const std::size_t end = text_.find('"', at_);
      if (end == text_.npos) return fail("an attribute without an end");
      if (!element.attributes.emplace(key, plain(text_.substr(at_, end - at_))).second) return fail("a key twice");
      at_ = end + 1;
    }
    if (open_.empty()) ++roots_;
    elements.push_back(std::move(element));
    if (take("/>")) return;
    if (!take(">")) return fail("a tag without an end");
    open_.push_back(elements.size() - 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::size_t> open_;
};

}  // namespace fovea
