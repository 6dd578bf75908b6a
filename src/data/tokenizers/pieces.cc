// pieces: frequent words are tokens, rare ones are several: byte-pair encoding (Sennrich, Haddow & Birch 2016) by
// SentencePiece (Kudo & Richardson 2018). pieces:8000 learns at most so many from the training data; pieces:FILE.model
// takes those of a ready SentencePiece model, of BPE or unigram. Pieces that are learned are BPE because that counts
// whole numbers: the same data gives the same pieces on any machine, where a unigram's sums of logarithms need not.
//
// A piece that begins a word begins with the mark, U+2581; one that stands alone is a word's beginning before a piece
// that needs none. Text is not normalised, so that places in it are exact. As with words, how many spaces there were is
// lost; a mark in the text is read as a space.
#include <charconv>
#include <map>
#include <unordered_set>

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "data/tokenizer.h"
#include "data/tokenizers/piece_list.h"

namespace fovea {

namespace {

class PieceTokenizer : public Tokenizer {
 public:
  explicit PieceTokenizer(const PieceList& list) : learned_(piece_list_to_json(list)) {
    bool loaded = false;
    try {
      loaded = processor_.LoadFromSerializedProto(write_piece_model(list)).ok();
    } catch (const std::exception&) {  // of its search structures; they say nothing that helps
    }
    if (!loaded) throw model_error("SentencePiece does not take these pieces");
  }

  std::vector<Token> cut(std::string_view text) const override {
    std::vector<Token> tokens;
    std::size_t counted = 0;
    std::int64_t characters = 0;  // before `counted`
    const auto place = [&](std::size_t offset) {
      characters += count_characters(text.substr(counted, offset - counted));
      counted = offset;
      return static_cast<int>(characters);
    };
    const auto encoded = processor_.EncodeAsImmutableProto(text);  // which the pieces point into
    for (const auto& piece : encoded.pieces()) {
      std::size_t begin = piece.begin();
      const std::size_t end = piece.end();
      // The spaces that a mark stands for are no part of a word.
      const std::size_t word = text.find_first_not_of(' ', begin);
      if (word < end) begin = word;
      const int start = place(begin);
      tokens.push_back({text_of(piece.id(), text.substr(begin, end - begin)), start, place(end)});
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    bool word_begins = false;
    for (std::string_view rest : tokens) {
      while (!rest.empty()) {
        if (rest.starts_with(word_mark)) {
          word_begins = true;
          rest.remove_prefix(word_mark.size());
          continue;
        }
        const std::string_view part = rest.substr(0, rest.find(word_mark));
        if (word_begins && !text.empty()) text += ' ';
        word_begins = false;
        text += part;
        rest.remove_prefix(part.size());
      }
    }
    return text;
  }

  std::string learned() const override { return learned_; }

 private:
  // What is no piece stays as it was written.
  std::string_view text_of(std::uint32_t id, std::string_view written) const {
    if (!processor_.IsUnknown(static_cast<int>(id))) return processor_.IdToPiece(static_cast<int>(id));
    return written.empty() ? word_mark : written;
  }

  std::string learned_;
  sentencepiece::SentencePieceProcessor processor_;
};

// Words with how often they were seen, as the trainer reads them.
class CountedWords : public sentencepiece::SentenceIterator {
 public:
  explicit CountedWords(std::span<const std::string_view> texts) {
    const TokenizerPtr words = make_tokenizer("word");
    for (const std::string_view text : texts) {
      for (const Token& word : words->cut(text)) {
        if (word.end - word.start <= longest_word && !find_control(word.text)) ++counts_[word.text];
      }
    }
    at_ = counts_.begin();
    write_value();
  }

  bool empty() const { return counts_.empty(); }
  std::size_t different_characters() const {
    std::unordered_set<std::string_view> different = {word_mark};
    for (const auto& [word, count] : counts_) {
      for (const std::string_view character : characters(word)) different.insert(character);
    }
    return different.size();
  }

  bool done() const override { return at_ == counts_.end(); }
  void Next() override {
    ++at_;
    write_value();
  }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  // A longer one is hardly a word. The trainer ends the program at 65,536 characters, unless its own limit of bytes,
  // which is no promise, leaves them out before.
  static constexpr int longest_word = 1000;

  void write_value() {
    if (!done()) value_ = fmt::format("{}\t{}", at_->first, at_->second);
  }

  std::map<std::string_view, std::int64_t> counts_;  // in order: of equally frequent pairs the same one comes first
  std::map<std::string_view, std::int64_t>::const_iterator at_;
  std::string value_;
};

PieceList learn_pieces(std::int64_t size, std::span<const std::string_view> texts) {
  CountedWords words(texts);
  if (words.empty()) throw data_error("pieces:{}: the training data has no word to learn from", size);
  const auto least = static_cast<std::int64_t>(words.different_characters()) + 1;  // and the unknown one
  if (size < least) {
    throw usage_error(
        "pieces:{}: each character is a piece, and the training data has {} different ones; ask for {} or more", size,
        least - 2, least);
  }
  std::string model;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train({{"model_type", "bpe"},
                                                  {"vocab_size", std::to_string(size)},
                                                  {"hard_vocab_limit", "false"},  // what there is, if that is less
                                                  {"character_coverage", "1"},
                                                  {"normalization_rule_name", "identity"},
                                                  {"input_format", "tsv"},
                                                  {"bos_id", "-1"},
                                                  {"eos_id", "-1"},
                                                  {"num_threads", "1"},
                                                  {"minloglevel", "3"}},
                                                 &words, &model);
  if (!status.ok()) throw data_error("pieces:{}: SentencePiece cannot learn: {}", size, printable(status.message()));
  return read_piece_model(model, "what SentencePiece learned");
}

// ---- the entry ------------------------------------------------------------------------------------------------------

constexpr std::string_view file_ending = ".model";

bool names_file(std::string_view argument) {
  return argument.ends_with(file_ending) && argument.size() > file_ending.size() + 1;
}

// After the colon; 0 if it is no such number.
std::int64_t number_of_pieces(std::string_view argument) {
  if (argument.empty()) return 0;
  std::int64_t number = 0;
  const char* const end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data() + 1, end, number);
  return error == std::errc() && stop == end && number > 0 && number <= max_pieces ? number : 0;
}

void check_argument(std::string_view argument) {
  if (names_file(argument) || number_of_pieces(argument) > 0) return;
  throw usage_error("pieces needs a number of pieces (1 to {}) or a .model file: pieces:8000", max_pieces);
}

TokenizerPtr learn(std::string_view argument, std::span<const std::string_view> texts) {
  if (!names_file(argument)) {
    return std::make_shared<PieceTokenizer>(learn_pieces(number_of_pieces(argument), texts));
  }
  const std::string path(argument.substr(1));
  return std::make_shared<PieceTokenizer>(read_piece_model(Files().read(path, largest_piece_model), path));
}

TokenizerPtr restore(std::string_view learned) {
  return std::make_shared<PieceTokenizer>(piece_list_from_json(learned));
}

}  // namespace

extern const TokenizerKind Tokenizer_pieces = {
    .name = "pieces",
    .example = "pieces:8000",
    .description =
        "frequent words and parts of rarer ones are symbols; so many are learned, or pieces:FILE.model has them",
    .check = check_argument,
    .learn = learn,
    .restore = restore,
    .learns = true,
    .marks_words = true};

}  // namespace fovea
