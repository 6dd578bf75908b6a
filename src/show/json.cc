#include "show/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/as_size.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace fovea {
namespace {

// The double nearest to the shortest decimal of a float: it prints as 0.1, not as 0.10000000149011612.
double shortest(float value) {
  if (!std::isfinite(value)) return value;  // printed as null
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  double result = 0;
  std::from_chars(digits.data(), end, result);
  return result;
}

OrderedJson numbers(const std::vector<float>& values) {
  OrderedJson list = OrderedJson::array();
  for (float value : values) list.push_back(shortest(value));
  return list;
}

template <class Items, class Write>
OrderedJson list_of(const Items& items, Write write) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : items) list.push_back(write(item));
  return list;
}

OrderedJson write_token(const SourceToken& token) {
  OrderedJson object{{"text", token.text}, {"start", token.start}, {"end", token.end}};
  if (!token.read) object["read"] = false;
  if (token.source > 0) object["source"] = token.source;
  if (token.sentence >= 0) object["sentence"] = token.sentence;
  if (token.named) object["named"] = true;
  if (token.box) object["box"] = {token.box->left, token.box->top, token.box->right, token.box->bottom};
  return object;
}

OrderedJson write_step(const OutputStep& step) {
  OrderedJson json = {{"token", step.token}, {"probability", step.probability}};
  json["alternatives"] = list_of(step.alternatives, [](const Alternative& other) {
    return OrderedJson{{"token", other.token}, {"probability", other.probability}};
  });
  json["looks"] = list_of(step.looks, [](const AttentionRow& look) {
    OrderedJson row{
        {"scores", numbers(look.scores)}, {"weights", numbers(look.weights)}, {"context_norm", look.context_norm}};
    if (!look.query.empty()) row["query"] = numbers(look.query);
    if (!look.context.empty()) row["context"] = numbers(look.context);
    return row;
  });
  if (step.copy_gate) json["copy_gate"] = *step.copy_gate;
  if (!step.saliency.empty()) json["saliency"] = numbers(step.saliency);
  return json;
}

OrderedJson write_own_map(const OwnMap& map) {
  OrderedJson json{{"part", map.part}, {"layer", map.layer}, {"head", map.head}};
  if (map.source > 0) json["source"] = map.source;
  json["weights"] = list_of(map.weights, numbers);
  return json;
}

OrderedJson write_tree(const OutputTree& tree) {
  OrderedJson json;
  json["nodes"] = OrderedJson::array();
  for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
    const OutputTreeNode& node = tree.nodes[id];
    OrderedJson one{{"id", id},
                    {"parent", nullptr},
                    {"step", node.step},
                    {"token", node.token},
                    {"probability", node.probability},
                    {"score", node.score},
                    {"kept", node.kept}};
    if (node.parent >= 0) one["parent"] = node.parent;
    json["nodes"].push_back(std::move(one));
  }
  if (tree.left_out > 0) json["left_out"] = tree.left_out;
  return json;
}

OrderedJson write_media(const SourceMedia& media) {
  OrderedJson json{{"type", media.type}, {"width", media.width}};
  if (media.height > 0) json["height"] = media.height;
  if (media.source > 0) json["source"] = media.source;
  json["data"] = base64(media.bytes);
  return json;
}

// Step by step: as text all of them are large enough.
std::string steps_text(std::span<const OutputStep> steps) {
  std::string text = "\"steps\":[";
  for (const OutputStep& step : steps) text += (&step == &steps[0] ? "" : ",") + json_text(write_step(step));
  return text + "]";
}

// What only an explanation that asked for it has, each behind a comma.
std::string own_maps_and_tree(std::span<const OwnMap> maps, const std::optional<OutputTree>& tree) {
  std::string text;
  if (!maps.empty()) text += ",\"self_maps\":" + json_text(list_of(maps, write_own_map));
  if (tree) text += ",\"tree\":" + json_text(write_tree(*tree));
  return text;
}

// Where in the document a value stands, for messages: "steps[3].looks[0].weights".
struct Place {
  const Json& value;
  std::string path;

  Error wrong(std::string_view wanted) const {
    return data_error("explanation: {} is {}, {} wanted", path.empty() ? "the document" : path, value.type_name(),
                      wanted);
  }
  bool has(const char* name) const { return value.is_object() && value.contains(name); }
  Place field(const char* name) const {
    if (!value.is_object()) throw wrong("an object");
    const std::string inner = path.empty() ? name : path + "." + name;
    const auto found = value.find(name);
    if (found == value.end()) throw data_error("explanation: {} is missing", inner);
    return {*found, inner};
  }
  template <class Read>
  auto list(const char* name, Read read) const {
    return field(name).items(read);
  }
  template <class Read>
  auto items(Read read) const {
    if (!value.is_array()) throw wrong("an array");
    std::vector<decltype(read(*this))> all;
    for (const Json& item : value) all.push_back(read(Place{item, fmt::format("{}[{}]", path, all.size())}));
    return all;
  }
  std::string text() const {
    if (!value.is_string()) throw wrong("a string");
    return value.get<std::string>();
  }
  double number() const {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) throw wrong("a number");
    return value.get<double>();
  }
  bool is_true_or_missing(const char* name) const {
    if (!has(name)) return true;
    const Place found = field(name);
    if (!found.value.is_boolean()) throw found.wrong("true or false");
    return found.value.get<bool>();
  }
  int count() const {
    constexpr auto max_number = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max_number)
      throw wrong("a whole number below 2^31");
    return value.get<int>();
  }
};

float read_float(const Place& place) { return static_cast<float>(place.number()); }

// The library escapes control characters below U+0020 and leaves U+007F to U+009F, some of which steer a terminal too.
std::string without_controls(std::string_view json) {
  std::string out;
  std::string_view rest = json;
  while (const auto at = find_control(rest)) {
    const std::size_t length = rest[*at] == '\x7F' ? 1 : 2;
    out += rest.substr(0, *at);
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(decode_utf8(rest.substr(*at, length))));
    rest.remove_prefix(*at + length);
  }
  return out.append(rest);
}

SourceToken read_token(const Place& token) {
  SourceToken read = {token.field("text").text(), token.field("start").count(), token.field("end").count(),
                      !token.has("read"), token.has("source") ? token.field("source").count() : 0};
  if (token.has("sentence")) read.sentence = token.field("sentence").count();
  read.named = token.has("named");
  if (token.has("box")) {
    const std::vector<int> edges = token.list("box", [](const Place& edge) { return edge.count(); });
    if (edges.size() != 4) throw token.field("box").wrong("four numbers");
    read.box = {edges[0], edges[1], edges[2], edges[3]};
  }
  return read;
}

OutputStep read_step(const Place& step) {
  OutputStep result;
  result.token = step.field("token").text();
  result.probability = step.field("probability").number();
  result.alternatives = step.list("alternatives", [](const Place& other) {
    return Alternative{other.field("token").text(), other.field("probability").number()};
  });
  result.looks = step.list("looks", [](const Place& look) {
    AttentionRow row{look.list("scores", read_float), look.list("weights", read_float),
                     look.field("context_norm").number()};
    if (look.has("query")) row.query = look.list("query", read_float);
    if (look.has("context")) row.context = look.list("context", read_float);
    return row;
  });
  if (step.has("saliency")) result.saliency = step.list("saliency", read_float);
  if (step.has("copy_gate")) result.copy_gate = step.field("copy_gate").number();
  return result;
}

OwnMap read_own_map(const Place& map) {
  OwnMap result{map.field("part").text(), 0, map.field("layer").count(), map.field("head").count(), {}};
  if (map.has("source")) result.source = map.field("source").count();
  result.weights = map.list("weights", [](const Place& row) { return row.items(read_float); });
  return result;
}

OutputTree read_tree(const Place& tree) {
  OutputTree result;
  result.nodes = tree.list("nodes", [](const Place& node) {
    const Place parent = node.field("parent");
    return OutputTreeNode{
        parent.value.is_null() ? -1 : parent.count(), node.field("step").count(),   node.field("token").text(),
        node.field("probability").number(),           node.field("score").number(), node.is_true_or_missing("kept")};
  });
  if (tree.has("left_out")) result.left_out = as_size(tree.field("left_out").count());
  for (std::size_t id = 0; id < result.nodes.size(); ++id) {
    if (result.nodes[id].parent >= static_cast<int>(id)) {
      throw data_error("explanation: {}.nodes[{}].parent does not stand before it", tree.path, id);
    }
  }
  return result;
}

template <class Of>  // an Output, or its Pieces
void read_own_maps_and_tree(const Place& place, Of& of) {
  if (place.has("self_maps")) of.self_maps = place.list("self_maps", read_own_map);
  if (place.has("tree")) of.tree = read_tree(place.field("tree"));
}

}  // namespace

std::string output_to_json(const Output& output) {
  OrderedJson json;
  json["schema"] = explanation_schema;
  json["source"]["text"] = output.source_text;
  if (!output.features.empty()) json["source"]["features"] = output.features;
  json["source"]["tokens"] = list_of(output.source, write_token);
  json["text"] = output.text;
  json["score"] = output.score;
  json["finished"] = output.finished;
  if (output.abstained) json["abstained"] = true;
  json["maps"] = list_of(output.maps, [](const MapName& map) {
    OrderedJson name{{"layer", map.layer}, {"head", map.head}, {"source", map.source}};
    if (map.pointing) name["part"] = "generator";
    return name;
  });
  if (output.left_out.any()) {
    const LeftOut& left_out = output.left_out;
    json["left_out"] = {{"maps", left_out.maps}, {"steps", left_out.steps}, {"positions", left_out.positions}};
  }
  std::string text = json_text(json);
  text.back() = ',';
  text += steps_text(output.steps);
  const OrderedJson nbest = list_of(output.nbest, [](const Hypothesis& hypothesis) {
    return OrderedJson{{"text", hypothesis.text}, {"score", hypothesis.score}, {"finished", hypothesis.finished}};
  });
  text += ",\"nbest\":" + json_text(nbest) + own_maps_and_tree(output.self_maps, output.tree);
  if (!output.media.empty()) text += ",\"media\":" + json_text(list_of(output.media, write_media));
  if (const auto& pieces = output.pieces) {
    text += ",\"pieces\":{\"tokens\":" + json_text(list_of(pieces->source, write_token)) + "," +
            steps_text(pieces->steps) + own_maps_and_tree(pieces->self_maps, pieces->tree) + "}";
  }
  return without_controls(text + "}");
}

Output output_from_json(std::string_view text) {
  const Json json = parse_json(text);
  if (json.is_discarded()) throw data_error("explanation: this is not JSON, or nested too deeply");
  const Place root{json, ""};
  const std::string schema = root.field("schema").text();
  if (schema != explanation_schema) {
    throw data_error("explanation: the schema is \"{}\", this program reads \"{}\"", schema, explanation_schema);
  }
  Output output;
  const Place source = root.field("source");
  output.source_text = source.field("text").text();
  if (source.has("features")) output.features = source.field("features").text();
  output.source = source.list("tokens", read_token);
  output.text = root.field("text").text();
  output.score = root.field("score").number();
  output.finished = root.is_true_or_missing("finished");
  output.abstained = root.has("abstained") && root.is_true_or_missing("abstained");
  output.maps = root.list("maps", [](const Place& map) {
    MapName name = {map.field("layer").count(), map.field("head").count(), map.field("source").text()};
    name.pointing = map.has("part") && map.field("part").text() == "generator";
    return name;
  });
  if (root.has("left_out")) {
    const auto count = [&](const char* name) { return as_size(root.field("left_out").field(name).count()); };
    output.left_out = {count("maps"), count("steps"), count("positions")};
  }
  output.steps = root.list("steps", read_step);
  output.nbest = root.list("nbest", [](const Place& hypothesis) {
    return Hypothesis{hypothesis.field("text").text(), hypothesis.field("score").number(),
                      hypothesis.is_true_or_missing("finished")};
  });
  read_own_maps_and_tree(root, output);
  if (root.has("pieces")) {
    const Place pieces = root.field("pieces");
    output.pieces = {pieces.list("tokens", read_token), pieces.list("steps", read_step)};
    read_own_maps_and_tree(pieces, *output.pieces);
  }
  return output;
}

}  // namespace fovea
