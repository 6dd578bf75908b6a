#include "data/tokenizers/piece_list.h"

#include <bit>
#include <cmath>
#include <unordered_set>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace fovea {

namespace {

// ---- the wire format of protocol buffers ----------------------------------------------------------------------------

enum WireType : unsigned { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  unsigned type = varint;
  std::uint64_t value = 0;  // of a varint, or the bits of a fixed one
  std::string_view bytes;   // of a delimited one
};

// The fields of one message, in their order. Throws a data_error where the bytes are none.
class WireReader {
 public:
  WireReader(std::string_view bytes, std::string_view name) : rest_(bytes), name_(name) {}

  bool next(WireField& field) {
    if (rest_.empty()) return false;
    const std::uint64_t key = read_varint();
    field = {key >> 3, static_cast<unsigned>(key & 7), 0, {}};
    switch (field.type) {
      case varint:
        field.value = read_varint();
        break;
      case fixed64:
        field.value = read_fixed(8);
        break;
      case delimited:
        field.bytes = take(read_varint());
        break;
      case fixed32:
        field.value = read_fixed(4);
        break;
      default:
        refuse();
    }
    return true;
  }

 private:
  [[noreturn]] void refuse() const { throw data_error("{}: this is no SentencePiece model", name_); }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse();
  }

  std::uint64_t read_fixed(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    while (size-- > 0) value = value << 8 | static_cast<unsigned char>(bytes[size]);
    return value;
  }

  std::string_view rest_;
  std::string_view name_;
};

void write_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void write_number(unsigned field, std::uint64_t value, std::string& out) {
  write_varint(field << 3 | varint, out);
  write_varint(value, out);
}

void write_bytes(unsigned field, std::string_view bytes, std::string& out) {
  write_varint(field << 3 | delimited, out);
  write_varint(bytes.size(), out);
  out += bytes;
}

void write_float(unsigned field, float value, std::string& out) {
  write_varint(field << 3 | fixed32, out);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift);
}

// ---- the fields of a SentencePiece model, by their numbers ----------------------------------------------------------

enum ModelField : unsigned { model_piece = 1, model_trainer = 2 };
enum PieceField : unsigned { piece_text = 1, piece_score = 2, piece_type = 3 };
enum TrainerField : unsigned { trainer_kind = 3, trainer_marks_ends = 24 };
enum PieceType : unsigned { normal = 1, unknown = 2, user_defined = 4 };
enum ModelKind : unsigned { unigram = 1, bpe = 2 };

constexpr std::string_view unknown_piece = "<unk>";
constexpr std::size_t longest_piece = 2048;  // bytes
constexpr float largest_score = 1e6f;        // so that no sum of them overflows

bool can_be_piece(std::string_view text) {
  return !text.empty() && text.size() <= longest_piece && text != unknown_piece && !find_invalid_utf8(text) &&
         !find_control(text);
}
bool can_be_score(float score) { return std::abs(score) <= largest_score; }  // false for NaN

struct TypedPiece {
  PieceList::Piece piece;
  std::uint64_t type = normal;
};

TypedPiece read_piece(std::string_view bytes, std::string_view name) {
  TypedPiece read;
  WireReader reader(bytes, name);
  for (WireField field; reader.next(field);) {
    if (field.number == piece_text) read.piece.text = field.bytes;
    if (field.number == piece_score) read.piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == piece_type) read.type = field.value;
  }
  return read;
}

bool read_kind(std::string_view trainer, std::string_view name) {
  std::uint64_t kind = unigram;
  WireReader reader(trainer, name);
  for (WireField field; reader.next(field);) {
    if (field.number == trainer_kind) kind = field.value;
    if (field.number == trainer_marks_ends && field.value != 0) {
      throw data_error("{}: its pieces mark where words end; only those that mark where words begin are read", name);
    }
  }
  if (kind != unigram && kind != bpe) {
    throw data_error("{}: it cuts into words or characters; say so instead: word, char", name);
  }
  return kind == bpe;
}

}  // namespace

PieceList read_piece_model(std::string_view bytes, std::string_view name) {
  PieceList list;
  list.merges = false;
  std::unordered_set<std::string> seen;
  WireReader reader(bytes, name);
  for (WireField field; reader.next(field);) {
    if (field.number == model_trainer) list.merges = read_kind(field.bytes, name);
    if (field.number != model_piece) continue;
    TypedPiece read = read_piece(field.bytes, name);
    if (read.type != normal && read.type != user_defined) continue;
    if (!can_be_piece(read.piece.text) || !can_be_score(read.piece.score)) continue;
    if (seen.insert(read.piece.text).second) list.pieces.push_back(std::move(read.piece));
    if (std::ssize(list.pieces) > max_pieces) throw data_error("{}: more than {} pieces", name, max_pieces);
  }
  if (list.pieces.empty()) throw data_error("{}: no piece in it; is this a SentencePiece model?", name);
  return list;
}

std::string write_piece_model(const PieceList& list) {
  std::string out, piece, trainer;
  write_bytes(piece_text, unknown_piece, piece);
  write_number(piece_type, unknown, piece);
  write_bytes(model_piece, piece, out);
  for (const PieceList::Piece& one : list.pieces) {
    piece.clear();
    write_bytes(piece_text, one.text, piece);
    write_float(piece_score, one.score, piece);
    write_bytes(model_piece, piece, out);
  }
  write_number(trainer_kind, list.merges ? bpe : unigram, trainer);
  write_bytes(model_trainer, trainer, out);
  return out;
}

PieceList piece_list_from_json(std::string_view json) {
  const Json flat = parse_json(json, 1);
  if (!flat.is_array() || flat.size() % 2 == 0 || (flat[0] != "bpe" && flat[0] != "unigram")) {
    throw model_error("not a flat list of bpe or unigram and then pieces with their scores");
  }
  const std::size_t count = flat.size() / 2;
  if (count == 0 || std::cmp_greater(count, max_pieces)) {
    throw model_error("{} pieces; from 1 to {} are wanted", count, max_pieces);
  }
  PieceList list;
  list.merges = flat[0] == "bpe";
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 1; i < flat.size(); i += 2) {
    const bool typed = flat[i].is_string() && flat[i + 1].is_number();
    if (!typed || !can_be_piece(flat[i].get_ref<const std::string&>())) {
      throw model_error("entry {} is no piece with its score", i);
    }
    const auto score = flat[i + 1].get<double>();
    if (!(std::abs(score) <= largest_score)) throw model_error("entry {} is an impossible score", i + 1);
    const auto& text = flat[i].get_ref<const std::string&>();
    if (!seen.insert(text).second) throw model_error("\"{}\" is there twice", beginning(text));
    list.pieces.push_back({text, static_cast<float>(score)});
  }
  return list;
}

std::string piece_list_to_json(const PieceList& list) {
  Json flat = {list.merges ? "bpe" : "unigram"};
  for (const PieceList::Piece& piece : list.pieces) {
    flat.push_back(piece.text);
    flat.push_back(piece.score);
  }
  return json_text(flat);
}

}  // namespace fovea
