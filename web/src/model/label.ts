// How a token is drawn, as the command line draws it (src/show/label.cc): what would not be seen, or would act rather
// than show, has a stand-in; a mark stands on a circle; the stop symbol is an arrow.
export interface Label {
  text: string;
  name: string; // as it is said
  width: number; // in columns of a monospaced font
}

const stop: Label = { text: "⏎", name: "stop symbol", width: 1 };

const wide =
  /[\u1100-\u115f\u231a\u231b\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function character_width(character: string): number {
  if (/[\p{Mn}\p{Me}\p{Cc}\p{Cf}\u1160-\u11ff]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

export function display_width(text: string): number {
  let width = 0;
  for (const character of text) width += character_width(character);
  return width;
}

function stand_in(character: string): string {
  const c = character.codePointAt(0)!;
  if (c < 0x20) return String.fromCodePoint(0x2400 + c);
  if (c === 0x7f) return "␡";
  if (/\p{Zs}/u.test(character)) return "␣";
  return /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(character) ? "□" : "";
}

const is_mark = (character: string): boolean => /\p{M}/u.test(character);
const is_joiner = (character: string): boolean => character === "\u200c" || character === "\u200d";
const right_to_left = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// Between marks that keep its direction to itself.
export const isolate = (text: string): string => (right_to_left.test(text) ? `\u2068${text}\u2069` : text);

const code_point = (character: string): string => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");

function name_of(text: string, first: string, single: boolean, replaced: boolean): string {
  if (!single || (!replaced && !is_mark(first))) return `“${isolate(text)}”`;
  return first === " " ? "space (U+0020)" : `“${text}” (U+${code_point(first)})`;
}

export function label_of(token: string): Label {
  const parts = Array.from(token);
  if (parts.length === 0) return { text: "∅", name: "empty", width: 1 };
  let text = "";
  let replaced = false;
  for (const part of parts) {
    const plain = stand_in(part);
    if (text === "" && (is_mark(part) || character_width(part) === 0) && plain === "") text = "◌";
    const other = is_joiner(part) && text !== "" ? "" : plain;
    replaced ||= other !== "";
    text += other || part;
  }
  return { text, name: name_of(text, parts[0]!, parts.length === 1, replaced), width: display_width(text) };
}

// No character is spelled "</s>", and word and piece vocabularies reserve it.
export const is_stop_text = (token: string): boolean => token === "" || token === "</s>";
export const is_stop = (token: { text: string; start: number; end: number }): boolean =>
  token.start === token.end && token.text === "</s>";

const special: Record<string, Label> = {
  "<pad>": { text: "▢", name: "padding", width: 1 },
  "<unk>": { text: "�", name: "unknown symbol", width: 1 },
  "<s>": { text: "▸", name: "start symbol", width: 1 },
};

export const output_label = (token: string): Label =>
  is_stop_text(token) ? stop : Object.hasOwn(special, token) ? special[token]! : label_of(token);
// A model without a source points into its own past, which begins with the start symbol.
export const source_label = (token: { text: string; start: number; end: number; named?: boolean }): Label =>
  is_stop(token) ? stop : token.named && token.start === token.end && token.text === "<s>" ? special[token.text]! : label_of(token.text);

// Control characters made visible, everything else as it is: for lines of text rather than single tokens.
export function printable(text: string): string {
  let out = "";
  for (const character of text) {
    const c = character.codePointAt(0)!;
    if (c < 0x20) out += String.fromCodePoint(0x2400 + c);
    else if (c === 0x7f) out += "␡";
    else if ((c >= 0x80 && c < 0xa0) || /[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(character))
      out += `<U+${code_point(character)}>`;
    else if (c >= 0xd800 && c < 0xe000) out += "\ufffd";
    else out += character;
  }
  return out;
}

export function shorten(text: string, columns: number): string {
  if (display_width(text) <= columns) return text;
  let kept = "";
  let width = 1; // of the …
  for (const character of text) {
    width += character_width(character);
    if (width > columns) break;
    kept += character;
  }
  return kept + "…";
}

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(1)} %` : "?";
