// document: sentences of words. A sentence ends behind a word that ends with . ! or ? (quotes and brackets may follow,
// and marks that stand apart, as of . . . the last one), at a <br />, and after so many words at the latest; words are
// cut by source.tokenizer.
#include "data/source.h"

namespace fovea {

namespace {

constexpr int longest_sentence = 60;  // words

bool ends_sentence(std::string_view word) {
  if (word == "/>" || word == "<br>" || word == "<br/>") return true;
  const std::size_t last = word.find_last_not_of("\"')]}");
  return last != word.npos && (word[last] == '.' || word[last] == '!' || word[last] == '?');
}

// What stands apart and belongs to the sentence before it.
bool closes(std::string_view word) { return word.find_first_not_of(".!?)]}") == word.npos; }

class DocumentSource : public TextSource {
 public:
  using TextSource::TextSource;

  SourceData encode_tokens(std::span<const Token> tokens) const override {
    SourceData data = TextSource::encode_tokens(tokens);
    int sentence = 0, words = 0;
    bool ended = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      data.segments.push_back(sentence);
      ended = ends_sentence(tokens[i].text) || (ended && closes(tokens[i].text));
      const bool more_marks = i + 1 < tokens.size() && closes(tokens[i + 1].text);
      if (++words < longest_sentence && (more_marks || !ended)) continue;
      ++sentence;
      words = 0;
      ended = false;
    }
    return data;
  }
  SourcePtr with(Vocabulary vocabulary) const override {
    return std::make_shared<DocumentSource>(tokenizer(), std::move(vocabulary));
  }
};

std::vector<SourceChoice> choose_document(const SourceOptions&, std::span<const SourceCell>) {
  return {{"tokenizer", "word", "a document is sentences of words"}};
}

std::vector<SourceChoice> choose_document_encoder(const SourceOptions&) {
  return {{"kind", "hierarchical", "words make sentences, sentences a document"}};
}

}  // namespace

extern const SourceKind Source_document = {.name = "document",
                                           .description = "sentences of words",
                                           .learn = learn_text<DocumentSource>,
                                           .restore = restore_text<DocumentSource>,
                                           .choose = choose_document,
                                           .tokenized = true,
                                           .choose_encoder = choose_document_encoder};

}  // namespace fovea
