// The pieces of a SentencePiece model: read from a .model file, which is a protocol buffer, and written as one; read
// from a model file's text and written as that. What is read may be hostile, and the library that cuts by it trusts
// what it loads, the tables of its normalisation above all. So nothing but pieces that were checked gets there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

inline constexpr std::int64_t max_pieces = 500'000;
inline constexpr std::uint64_t largest_piece_model = std::uint64_t(16) << 20;  // bytes of a .model file

struct PieceList {
  struct Piece {
    std::string text;
    float score = 0;
    bool operator==(const Piece&) const = default;
  };
  bool merges = true;  // by the order of their scores (BPE); or the likeliest cut is taken (unigram)
  std::vector<Piece> pieces;

  bool operator==(const PieceList&) const = default;
};

// A data_error unless it is a model that cuts into pieces. Those for control and single bytes are left out, and so is
// the normalisation: text is cut as it stands.
PieceList read_piece_model(std::string_view bytes, std::string_view name);
std::string write_piece_model(const PieceList& list);

// A flat JSON list: bpe or unigram, then each piece and its score. A model_error if it is anything else.
PieceList piece_list_from_json(std::string_view json);
std::string piece_list_to_json(const PieceList& list);

}  // namespace fovea
