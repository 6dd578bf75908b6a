// The source of a map as running text, cut where its columns are.
import type { HeatMap } from "./heat_map.ts";
import { is_stop } from "./label.ts";

export interface Piece {
  gap: string; // before it, and no token's
  text: string;
  stop: boolean;
}

// Between tokens stands text that is no token's: spaces of words. Of several sources all tokens are in one list, and only the
// first one's text is told: where places begin anew, the tokens speak for themselves.
export function pieces_of(map: HeatMap): Piece[] {
  const characters = Array.from(map.source?.text ?? "");
  let at = 0;
  let further = false;
  return map.columns.map((column, i) => {
    const token = map.source?.tokens[i];
    if (!token || token.named) return { gap: " ", text: column.text, stop: false };
    const begins = i > 0 && token.start < map.source!.tokens[i - 1]!.start;
    further ||= begins;
    const stop = is_stop(token);
    const spoken = further ? token.text : characters.slice(token.start, token.end).join("");
    const gap = begins ? "\n" : further ? "" : characters.slice(at, token.start).join("");
    at = Math.max(at, token.end);
    const odd = stop || (Array.from(spoken).length === 1 && spoken !== " ");
    return { gap, text: odd ? column.text : spoken || column.text, stop };
  });
}
