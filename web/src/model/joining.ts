// Tokens of an answer put together into the text they spell, as its tokenizer would.
import { is_stop_text } from "./label.ts";

export function joined(tokens: readonly string[], tokenizer: string): string {
  const spoken = tokens.filter((token) => !is_stop_text(token));
  if (tokenizer.startsWith("word")) return spoken.join(" ");
  const text = spoken.join("");
  return tokenizer.startsWith("piece") ? text.replaceAll("▁", " ").replace(/^ /, "") : text;
}
