#include "base/options.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "base/error.h"

namespace fovea::options_test {
namespace {

using namespace std::string_literals;

struct DeepOptions {
  double scale = 1;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit("scale", scale, "a number in a group in a group");
  }
};

struct EncoderOptions {
  std::string kind = "rnn";
  int layers = 1;
  int offset = 0;
  double dropout = 0.1;
  bool bidirectional = true;
  std::vector<std::string> bias = {"markov"};
  DeepOptions deep;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit("kind", kind, "what reads the source", one_of({"rnn", "embedding"}));
    visit.group("deep", deep, "deeper");
    visit("layers", layers, "recurrent layers", between(1, 64));
    visit("offset", offset, "any int");
    visit("dropout", dropout, "share of inputs dropped", between(0, 0.9));
    visit("bidirectional", bidirectional, "read both ways");
    visit("bias", bias, "what the history says", one_of({"markov", "coverage", "fertility"}));
  }
};

struct DecoderOptions {
  int layers = 2;
  void fields(FieldVisitor& visit) { visit("layers", layers, "recurrent layers"); }
};

struct Config {
  EncoderOptions encoder;
  DecoderOptions decoder;
  std::string task = "transduce";
  std::int64_t seed = 1;
  Period stop_after = {10, Period::Unit::epochs};
  BatchSize batch = {4000, true};
  std::vector<std::string> files;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit.group("encoder", encoder, "reads the source");
    visit("task", task, "how lines become examples");
    visit("seed", seed, "of all chance", at_least(0));
    visit("stop_after", stop_after, "how long to train");
    visit("batch", batch, "what goes through at once");
    visit("files", files, "data");
    visit.group("decoder", decoder, "writes the target");
  }
};

// Nothing left as it was by default.
Config changed() {
  Config config;
  config.encoder = {"embedding", 64, -2147483647 - 1, 0.1 + 0.2, false, {"coverage", "fertility"}, {-5e-324}};
  config.decoder.layers = 2147483647;
  config.task = "say \"\\hi\"\n\t\x7f\x01 \u00fc\u4e2d = # x";
  config.seed = INT64_MAX;
  config.stop_after = parse_period("90s");
  config.batch = parse_batch_size("64");
  config.files = {"a b.tsv", "", "\u00e9#\"'"};
  return config;
}

template <class Read>
std::string refusal(ErrorKind kind, Read read) {
  Config config;
  const std::string before = to_json(config);
  try {
    read(config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(to_json(config), before) << "changed in spite of an error";
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_LT(std::string(error.what()).size(), 600u);
    return error.what();
  }
  ADD_FAILURE() << "accepted, and is now " << to_json(config);
  return "";
}
std::string bad_toml(const std::string& text) {
  return refusal(ErrorKind::usage, [&](Config& config) { read_toml(config, text, "run.toml"); });
}
std::string bad_set(const std::string& text) {
  return refusal(ErrorKind::usage, [&](Config& config) { set_field(config, text); });
}
std::string bad_json(const std::string& text) {
  return refusal(ErrorKind::model, [&](Config& config) { read_json(config, text, "m.safetensors: config"); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

// ---- round trips ----

TEST(Options, names_are_dotted_and_in_order) {
  EXPECT_EQ(names(Config()),
            (std::vector<std::string>{"encoder.kind", "encoder.deep.scale", "encoder.layers", "encoder.offset",
                                      "encoder.dropout", "encoder.bidirectional", "encoder.bias", "task", "seed",
                                      "stop_after", "batch", "files", "decoder.layers"}));
}

TEST(Options, every_option_was_changed_for_the_round_trips) {
  const Config plain, other = changed();
  const FieldVisitor a = ConstFieldsRef(plain).visit(), b = ConstFieldsRef(other).visit();
  ASSERT_EQ(a.fields().size(), b.fields().size());
  for (std::size_t i = 0; i < a.fields().size(); ++i) {
    EXPECT_NE(value_text(a.fields()[i]), value_text(b.fields()[i])) << a.fields()[i].name;
  }
}

TEST(Options, round_trip_through_toml) {
  for (const Config& wanted : {Config(), changed()}) {
    Config read = wanted.seed == 1 ? changed() : Config();
    read_toml(read, to_toml(wanted), "run.toml");
    EXPECT_EQ(to_json(read), to_json(wanted));
    EXPECT_EQ(read.task, wanted.task);
    EXPECT_EQ(read.files, wanted.files);
    EXPECT_EQ(read.encoder.deep.scale, wanted.encoder.deep.scale);
  }
}

TEST(Options, round_trip_through_json) {
  for (const Config& wanted : {Config(), changed()}) {
    Config read = wanted.seed == 1 ? changed() : Config();
    read_json(read, to_json(wanted), "model");
    EXPECT_EQ(to_toml(read), to_toml(wanted));
    EXPECT_EQ(read.task, wanted.task);
    EXPECT_EQ(read.encoder.dropout, wanted.encoder.dropout);
  }
}

TEST(Options, round_trip_through_set_field) {
  for (const Config& wanted : {Config(), changed()}) {
    Config read = wanted.seed == 1 ? changed() : Config();
    for (const Field& field : ConstFieldsRef(wanted).visit().fields()) {
      set_field(read, field.name + "=" + value_text(field));
    }
    EXPECT_EQ(to_json(read), to_json(wanted));
  }
}

TEST(Options, numbers_survive_exactly) {
  for (const double value : {0.1, 1.0 / 3, 1e300, -1e-300, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789.0}) {
    DeepOptions wanted{value}, toml, json, set;
    read_toml(toml, to_toml(wanted), "f");
    read_json(json, to_json(wanted), "f");
    set_field(set, "scale=" + value_text(FieldsRef(wanted).visit().fields()[0]));
    for (const double got : {toml.scale, json.scale, set.scale}) {
      EXPECT_EQ(got, value);
      EXPECT_EQ(std::signbit(got), std::signbit(value));
    }
  }
}

// ---- writing ----

TEST(Options, json_is_compact_and_nested) {
  EXPECT_EQ(to_json(Config()),
            R"({"task":"transduce","seed":1,"stop_after":"10e","batch":"4000t","files":[],)"
            R"("encoder":{"kind":"rnn","layers":1,"offset":0,"dropout":0.1,"bidirectional":true,"bias":["markov"],)"
            R"("deep":{"scale":1.0}},"decoder":{"layers":2}})");
}

TEST(Options, toml_is_complete_and_commented) {
  EXPECT_EQ(to_toml(Config()), R"(task = "transduce"  # how lines become examples
seed = 1            # of all chance (at least 0)
stop_after = "10e"  # how long to train (500u (updates), 3e (epochs), 90s, 10m, 2h or none)
batch = "4000t"     # what goes through at once (64 (rows) or 4000t (tokens))
files = []          # data

[encoder]  # reads the source
kind = "rnn"          # what reads the source (rnn | embedding)
layers = 1            # recurrent layers (from 1 to 64)
offset = 0            # any int
dropout = 0.1         # share of inputs dropped (from 0 to 0.9)
bidirectional = true  # read both ways
bias = ["markov"]     # what the history says (markov | coverage | fertility)

[encoder.deep]  # deeper
scale = 1.0  # a number in a group in a group

[decoder]  # writes the target
layers = 2  # recurrent layers
)");
}

TEST(Options, description_is_aligned_and_says_what_is_allowed) {
  const std::string text = describe(Config());
  EXPECT_TRUE(contains(text, "  encoder.kind           rnn        what reads the source (rnn | embedding)\n")) << text;
  EXPECT_TRUE(contains(text, "  encoder.layers         1          recurrent layers (from 1 to 64)\n")) << text;
  EXPECT_TRUE(contains(text, "\nencoder: reads the source\n")) << text;
  for (const std::string& name : names(Config())) EXPECT_TRUE(contains("\n" + text, "\n  " + name + " ")) << name;
}

TEST(Options, writing_refuses_what_no_file_can_say) {
  DeepOptions endless{INFINITY};
  EXPECT_THROW(to_json(endless), Error);
  EXPECT_THROW(to_toml(endless), Error);
  Config config;
  config.task = "\xff";
  EXPECT_THROW(to_json(config), Error);
}

TEST(Options, declaring_twice_or_with_a_rule_of_another_type_fails) {
  struct Twice {
    int a = 0;
    void fields(FieldVisitor& visit) {
      visit("a", a, "");
      visit("a", a, "");
    }
  } twice;
  EXPECT_THROW(names(twice), Error);
  struct Ranged {
    std::string a;
    void fields(FieldVisitor& visit) { visit("a", a, "", between(1, 2)); }
  } ranged;
  EXPECT_THROW(names(ranged), Error);
  struct Named {
    int a = 0;
    void fields(FieldVisitor& visit) { visit("a", a, "", one_of({"x"})); }
  } named;
  EXPECT_THROW(names(named), Error);
}

// ---- reading what is right ----

TEST(Options, a_check_decides_and_its_examples_are_shown) {
  struct Named {
    std::string amount = "few";
    void fields(FieldVisitor& visit) {
      visit("amount", amount, "of it", like({"few", "many:3"}, [](std::string_view text) {
              if (!text.starts_with("many:")) throw usage_error("many needs a number: many:3");
            }));
    }
  };
  Named named;
  set_field(named, "amount=many:70");
  EXPECT_EQ(named.amount, "many:70");
  EXPECT_NE(describe(named).find("few | many:3"), std::string::npos);
  try {
    read_json(named, "{\"amount\":\"much\"}", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model) << "as of anything else that is wrong in it";
    EXPECT_NE(std::string(error.what()).find("many needs a number: many:3"), std::string::npos) << error.what();
  }
}

TEST(Options, toml_sets_only_what_it_names) {
  Config config;
  read_toml(config, "batch = 32\n[encoder]\nlayers = 3\ndropout = 0\ndeep.scale = 2\n[decoder]\n", "run.toml");
  Config wanted;
  wanted.batch = {32, false};
  wanted.encoder.layers = 3;
  wanted.encoder.dropout = 0;
  wanted.encoder.deep.scale = 2;
  EXPECT_EQ(to_json(config), to_json(wanted));
}

TEST(Options, json_leaves_missing_keys_alone) {
  Config config;
  config.decoder.layers = 7;
  read_json(config, R"({"encoder":{"layers":3,"deep":{}},"batch":16})", "model");
  EXPECT_EQ(config.encoder.layers, 3);
  EXPECT_EQ(config.decoder.layers, 7);
  EXPECT_EQ(config.batch, (BatchSize{16, false}));
}

TEST(Options, set_field_splits_lists_and_keeps_later_equal_signs) {
  Config config;
  set_field(config, "encoder.bias=coverage,markov");
  EXPECT_EQ(config.encoder.bias, (std::vector<std::string>{"coverage", "markov"}));
  set_field(config, "encoder.bias=markov+coverage");  // as fovea compare --vary has to write it
  EXPECT_EQ(config.encoder.bias, (std::vector<std::string>{"markov", "coverage"}));
  set_field(config, "encoder.bias=");
  EXPECT_TRUE(config.encoder.bias.empty());
  set_field(config, "task=a=b");
  EXPECT_EQ(config.task, "a=b");
}

// ---- reading what is wrong ----

TEST(Options, set_field_reads_lists_as_toml_has_them) {
  Config config;
  const auto bias = [&](const char* list) {
    set_field(config, std::string("encoder.bias=") + list);
    return config.encoder.bias;
  };
  EXPECT_EQ(bias(R"(["markov", 'coverage'])"), (std::vector<std::string>{"markov", "coverage"}));
  EXPECT_EQ(bias("[]"), std::vector<std::string>());
  EXPECT_EQ(bias("[\"markov\"]"), (std::vector<std::string>{"markov"}));
  EXPECT_EQ(bias(""), std::vector<std::string>());
  for (const char* bad :
       {"[markov]", "[1]", "[\"markov\"", "[\"markov\"]\nmore=[\"markov\"]", "[[\"markov\"]]", "[{}]"}) {
    EXPECT_THROW(bias(bad), Error) << bad;
  }
}

TEST(OptionsErrors, unknown_names_get_the_nearest_one) {
  EXPECT_EQ(bad_set("encoder.layrs=2"), "encoder.layrs=2: unknown setting; did you mean encoder.layers (now 1)?");
  EXPECT_EQ(bad_set("dropuot=2"), "dropuot=2: unknown setting; did you mean encoder.dropout (now 0.1)?");
  EXPECT_EQ(bad_set("layers=2"),
            "layers=2: unknown setting; did you mean encoder.layers (now 1) or decoder.layers (now 2)?");
  EXPECT_EQ(bad_toml("[encoder]\nkind = \"rnn\"\n  layrs = 2\n"),
            "run.toml:3:3: encoder.layrs: unknown setting; did you mean encoder.layers (now 1)?");
  EXPECT_EQ(bad_set("decoder.blue=2"), "decoder.blue=2: unknown setting; there are decoder.layers");
  EXPECT_EQ(bad_set("zzz=2"),
            "zzz=2: unknown setting; there are task, seed, stop_after, batch, files, encoder.*, decoder.*");
  EXPECT_EQ(bad_json(R"({"encoder":{"colour":2}})"),
            "m.safetensors: config: encoder.colour: unknown setting; there are encoder.kind, encoder.layers, "
            "encoder.offset, encoder.dropout, encoder.bidirectional, encoder.bias, encoder.deep.* (the file may come "
            "from a newer version)");
}

TEST(OptionsErrors, groups_are_not_settings) {
  EXPECT_EQ(bad_set("decoder=2"), "decoder=2: names a group of settings; there are decoder.layers");
  EXPECT_EQ(bad_toml("decoder = 2"), "run.toml:1:1: decoder: names a group of settings; there are decoder.layers");
  EXPECT_TRUE(contains(bad_toml("[encodr]"), "run.toml:1:2: encodr: unknown setting"));
  EXPECT_TRUE(contains(bad_toml("[seed]\nx = 1"), "run.toml:2:1: seed.x: unknown setting"));
  EXPECT_TRUE(
      contains(bad_toml("[[encoder]]\nlayers = 1\n[[encoder]]\nlayers = 2"), "encoder2.layers: unknown setting"));
  EXPECT_TRUE(contains(bad_toml("encoder = [1]"), "encoder"));
  EXPECT_TRUE(contains(bad_toml("\"encoder.layers\" = 3"), "\"encoder.layers\": unknown setting"));
  EXPECT_TRUE(contains(bad_json(R"({"encoder.layers":3})"), "\"encoder.layers\": unknown setting"));
  EXPECT_TRUE(contains(bad_json(R"({"encodr":{}})"), "encodr: unknown setting"));
  EXPECT_TRUE(contains(bad_json(R"({"":{"seed":3}})"), "\"\".seed: unknown setting"));
  EXPECT_TRUE(contains(bad_toml("\"\" = {}"), "\"\": unknown setting"));
}

TEST(OptionsErrors, wrong_types_and_broken_rules_say_what_is_allowed) {
  EXPECT_EQ(bad_set("encoder.layers=0"), "encoder.layers=0: wants a whole number from 1 to 64, got 0");
  EXPECT_EQ(bad_set("encoder.layers=65"), "encoder.layers=65: wants a whole number from 1 to 64, got 65");
  EXPECT_EQ(bad_set("encoder.layers=two"), "encoder.layers=two: wants a whole number from 1 to 64, got \"two\"");
  EXPECT_EQ(bad_set("encoder.kind=rnnn"),
            "encoder.kind=rnnn: wants one of rnn, embedding, got \"rnnn\"; did you mean rnn?");
  EXPECT_EQ(bad_set("seed=-1"), "seed=-1: wants a whole number at least 0, got -1");
  EXPECT_EQ(bad_toml("[encoder]\nlayers = 2.0"),
            "run.toml:2:1: encoder.layers: wants a whole number from 1 to 64, got 2");
  EXPECT_EQ(bad_toml("[encoder]\nlayers = \"2\""),
            "run.toml:2:1: encoder.layers: wants a whole number from 1 to 64, got \"2\"");
  EXPECT_EQ(bad_toml("encoder.dropout = 0.91"),
            "run.toml:1:9: encoder.dropout: wants a number from 0 to 0.9, got 0.91");
  EXPECT_EQ(bad_toml("encoder.bidirectional = 1"), "run.toml:1:9: encoder.bidirectional: wants true or false, got 1");
  EXPECT_EQ(
      bad_toml("encoder.bias = [\"markov\", \"covrage\"]"),
      "run.toml:1:9: encoder.bias: wants a list of any of markov, coverage, fertility, or [], got \"covrage\"; did you "
      "mean coverage?");
  EXPECT_EQ(
      bad_toml("encoder.bias = [\"markov\", 3]"),
      "run.toml:1:9: encoder.bias: wants a list of any of markov, coverage, fertility, or [], got a list that holds "
      "more than text");
  EXPECT_EQ(bad_toml("task = 1979-05-27"), "run.toml:1:1: task: wants text, got a date or time");
  EXPECT_EQ(bad_toml("task = {}"), "run.toml:1:1: task: wants text, got a table");
  EXPECT_EQ(bad_toml("stop_after = 5"),
            "run.toml:1:1: stop_after: wants 500u (updates), 3e (epochs), 90s, 10m, 2h or none, got 5");
  EXPECT_EQ(bad_toml("batch = 0"), "run.toml:1:1: batch: wants 64 (rows) or 4000t (tokens), got 0");
  EXPECT_EQ(bad_json(R"({"batch":"4k"})"),
            "m.safetensors: config: batch: wants 64 (rows) or 4000t (tokens), got \"4k\"");
  EXPECT_EQ(bad_json(R"({"task":null})"), "m.safetensors: config: task: wants text, got null");
}

TEST(OptionsErrors, one_bad_setting_leaves_all_as_they_were) {
  EXPECT_TRUE(contains(bad_toml("batch = 3\nseed = -1\ntask = \"x\""), "run.toml:2:1: seed: wants"));
  EXPECT_TRUE(contains(bad_json(R"({"batch":3,"seed":-1,"task":"x"})"), "seed: wants"));
}

TEST(OptionsErrors, numbers_beyond_all_bounds) {
  for (const char* name : {"encoder.offset", "seed", "encoder.deep.scale"}) {
    for (const char* value : {"nan", "inf", "-inf", "1e400", "", "0x10", "1,5", "1 ", "--1"}) {
      EXPECT_TRUE(contains(bad_set(name + "="s + value), ": wants ")) << name << value;
    }
    EXPECT_TRUE(contains(bad_toml(name + " = nan"s), "number"));
    EXPECT_TRUE(contains(bad_toml(name + " = inf"s), "number"));
    EXPECT_TRUE(contains(bad_toml(name + " = 1e400"s), "run.toml:1:"));
  }
  EXPECT_EQ(bad_set("encoder.offset=2147483648"),
            "encoder.offset=2147483648: wants a whole number from -2147483648 to 2147483647, got 2147483648");
  EXPECT_TRUE(contains(bad_set("seed=9223372036854775808"), "wants a whole number at least 0"));
  EXPECT_TRUE(contains(bad_toml("seed = 9223372036854775808"), "run.toml:1:"));
  EXPECT_TRUE(contains(bad_json(R"({"seed":9223372036854775808})"), "seed: wants a whole number"));
  EXPECT_TRUE(contains(bad_json(R"({"seed":18446744073709551616})"), "seed: wants a whole number"));
  EXPECT_TRUE(contains(bad_json(R"({"seed":1.5})"), "seed: wants a whole number at least 0, got 1.5"));
  EXPECT_TRUE(contains(bad_json(R"({"encoder":{"deep":{"scale":1e400}}})"), "m.safetensors: config: "));
  EXPECT_TRUE(contains(bad_json(R"({"encoder":{"deep":{"scale":NaN}}})"), "m.safetensors: config: "));
}

TEST(OptionsErrors, set_field_wants_an_assignment_of_sound_text) {
  EXPECT_EQ(bad_set("encoder.layers"), "encoder.layers: has no value; write it as name=value");
  EXPECT_TRUE(contains(bad_set(""), "write it as name=value"));
  EXPECT_TRUE(contains(bad_set("=1"), "unknown setting"));
  EXPECT_TRUE(contains(bad_set("task=\xff"), "sound UTF-8"));
  EXPECT_TRUE(contains(bad_set("task=a\0b"s), "zero bytes"));
  EXPECT_TRUE(contains(bad_set("files=a,\xff"), "sound UTF-8"));
  EXPECT_FALSE(contains(bad_set("\x1b[31m=2"), "\x1b"));
  bad_set(std::string(100000, 'x') + "=1");
  bad_set("seed=" + std::string(100000, '9'));
  bad_set(std::string(100000, 'x'));
}

TEST(OptionsErrors, hostile_toml) {
  EXPECT_TRUE(contains(bad_toml("seed = 1\nseed = 2"), "run.toml:2:"));
  EXPECT_TRUE(contains(bad_toml("[encoder]\n[encoder]"), "run.toml:2:"));
  EXPECT_TRUE(contains(bad_toml("seed = \n"), "run.toml:1:"));
  for (const char* header : {"[[[a]]]", "[ # x", "[[=", "[.a]", "[a.]", "[", "[[", "[a", "[]"}) {
    EXPECT_TRUE(contains(bad_toml("seed = 2\n"s + header), "run.toml:2:")) << header;
  }
  EXPECT_TRUE(contains(bad_toml("task = \"a\0b\""s), "run.toml:1:"));
  EXPECT_TRUE(contains(bad_toml("task = \"\xff\""), "run.toml:"));
  EXPECT_TRUE(contains(bad_toml("task = \"a\\u0000b\""), "zero bytes"));
  EXPECT_FALSE(contains(bad_toml("\"\\u001b[31m\" = 1"), "\x1b"));
  EXPECT_TRUE(contains(bad_toml("gr\u00f6\u00dfe = 1"), "run.toml:1:"));
  EXPECT_TRUE(contains(bad_toml("seed = \u00fc"), "run.toml:1:"));
  bad_toml("files = " + repeated("[", 100000));
  bad_toml("files = " + repeated("[", 100000) + repeated("]", 100000));
  bad_toml("a = " + repeated("{a = ", 100000));
  EXPECT_TRUE(contains(bad_toml("a" + repeated(".a", 100000) + " = 1"), "run.toml:1:1: a line with more than 250"));
  EXPECT_TRUE(contains(bad_toml("\n[a" + repeated(".a", 100000) + "]"), "run.toml:2:1: a line with more than 250"));
  EXPECT_TRUE(contains(bad_toml("a" + repeated(".a", 200) + " = 1"), "unknown setting"));
  EXPECT_TRUE(contains(bad_toml(repeated("#\n", 600000)), "too many"));
  EXPECT_TRUE(contains(bad_toml("files = [" + repeated("\"\",", 1025) + "]"), "at most 1024 texts"));
  bad_toml(std::string(100000, 'k') + " = 1");
}

TEST(OptionsErrors, hostile_json) {
  for (const std::string& text :
       {""s, "{"s, "[]"s, "1"s, "null"s, "\"x\""s, "[\"x\"]"s, "{}{}"s, "{}x"s, "{\"seed\":}"s, "{\"seed\":1,}"s,
        "{seed:1}"s, "{\"seed\":01}"s, "{\"task\":\"\xff\"}"s, "{\"task\":\"\\ud800\"}"s, "{}\0"s, "{}\0garbage"s,
        "{\"task\":\"a\0b\"}"s}) {
    EXPECT_TRUE(contains(bad_json(text), "m.safetensors: config: ")) << text;
  }
  EXPECT_EQ(bad_json(R"({"task":"secret words })"), "m.safetensors: config: is not JSON at byte 24");
  EXPECT_EQ(bad_json(R"({"seed":1e999})"), "m.safetensors: config: has a number beyond measure at byte 13");
  for (const char* text : {"[]", "[1]", "[\"x\"]", "1", "null", "\"x\""}) {
    EXPECT_EQ(bad_json(text), "m.safetensors: config: wants a JSON object") << text;
  }
  EXPECT_EQ(bad_json(R"({"seed":1,"seed":2})"), "m.safetensors: config: seed: is given twice");
  EXPECT_TRUE(contains(bad_json(R"({"encoder":{"layers":1},"encoder":{"offset":1}})"), "encoder: is given twice"));
  EXPECT_TRUE(contains(bad_json(R"({"task":"a\u0000b"})"), "zero bytes"));
  EXPECT_TRUE(contains(bad_json(R"({"files":["a",1]})"), "files: wants nothing but text in its list"));
  EXPECT_TRUE(contains(bad_json(R"({"files":[["a"]]})"), "files: wants nothing but text in its list"));
  EXPECT_TRUE(contains(bad_json(R"({"files":[{"a":1}]})"), "files: wants nothing but text in its list"));
  EXPECT_TRUE(contains(bad_json(R"({"seed":{"x":1}})"), "seed.x: unknown setting"));
  EXPECT_TRUE(contains(bad_json(R"({"seed":{}})"), "seed: wants a whole number at least 0, got a table"));
  EXPECT_TRUE(contains(bad_json(repeated("{\"a\":", 100000)), "is nested too deeply"));
  EXPECT_TRUE(contains(bad_json("{\"files\":" + repeated("[", 100000)), "nothing but text"));
  EXPECT_TRUE(contains(bad_json("{\"files\":[" + repeated("\"\",", 100000) + "\"\"]}"), "at most 1024 texts"));
  EXPECT_TRUE(contains(bad_json("{" + repeated(" ", 1 << 20) + "}"), "too many"));
  EXPECT_FALSE(contains(bad_json(R"({"\u001b[31m":1})"), "\x1b"));
  EXPECT_FALSE(contains(bad_json("{\"a\":1,\x1b"), "\x1b"));
  bad_json("{\"" + std::string(100000, 'k') + "\":1}");
  // A long key must not be copied into the name of each of many inner ones.
  std::string inner;
  for (int i = 0; i < 20000; ++i) inner += (i ? ",\"" : "\"") + std::to_string(i) + "\":1";
  bad_json("{\"" + std::string(500000, 'k') + "\":{" + inner + "}}");
}

TEST(Options, values_of_a_program_are_read_and_refused_by_their_names) {
  Config config;
  set_fields(config, R"({"encoder":{"layers":3}})");
  EXPECT_EQ(config.encoder.layers, 3);
  const auto bad = [](const std::string& json) {
    return refusal(ErrorKind::usage, [&](Config& refused) { set_fields(refused, json); });
  };
  EXPECT_TRUE(bad(R"({"encoder":{"layers":"many"}})").starts_with("encoder.layers: wants a whole number"));
  EXPECT_TRUE(contains(bad(R"({"encoder":{"layer":1}})"), "did you mean encoder.layers"));
  bad("{\"encoder\":");
  bad("NaN");
}

TEST(Options, a_comma_decimal_locale_changes_nothing) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8") && !std::setlocale(LC_ALL, "de_DE")) {
    GTEST_SKIP() << "no German locale here";
  }
  Config config;
  set_field(config, "encoder.dropout=0.25");
  EXPECT_EQ(config.encoder.dropout, 0.25);
  read_toml(config, "encoder.dropout = 0.5", "run.toml");
  EXPECT_EQ(config.encoder.dropout, 0.5);
  read_json(config, R"({"encoder":{"dropout":0.125}})", "model");
  EXPECT_EQ(config.encoder.dropout, 0.125);
  EXPECT_TRUE(contains(to_json(config), "\"dropout\":0.125,"));
  EXPECT_TRUE(contains(to_toml(config), "dropout = 0.125 "));
  EXPECT_TRUE(contains(describe(config), "(from 0 to 0.9)"));
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace fovea::options_test
