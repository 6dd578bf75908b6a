// What is on the page as a command line that shows the same.
import type { Drawn, Edit, Request } from "../engine/engine.ts";

// In single quotes nothing is special to a shell but the quote itself; control characters need $'...'.
export function quoted(text: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(text)) return text;
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("'", "\\'")
    .replace(/[\x00-\x1f\x7f]/g, (c) => (c === "\t" ? "\\t" : c === "\n" ? "\\n" : `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`));
  return `$'${escaped}'`;
}

const written = ({ step, map, weights }: Edit): Edit => ({ step, map, weights: weights.map((weight) => Number(weight.toPrecision(6))) });

export function command_of(request: Request, path: string, { layer, head }: Drawn = {}): string {
  const words = ["fovea", "show", quoted(path)];
  if (request.text.startsWith("-")) words.push("--");
  words.push(quoted(request.text));
  const options: string[] = [];
  if ((request.beam ?? 1) > 1) options.push("--beam", String(request.beam));
  if (request.prefix) options.push("--prefix", quoted(request.prefix));
  if (request.target) options.push("--target", quoted(request.target));
  if (request.words) options.push("--words");
  if (request.saliency) options.push("--saliency");
  if (request.self_attention) options.push("--self-attention");
  if (layer !== undefined) options.push("--layer", String(layer));
  if (head !== undefined) options.push("--head", String(head));
  if (request.edits?.length) options.push("--edits", quoted(JSON.stringify(request.edits.map(written))));
  // Options stand before a text that begins with a dash.
  return [...words.slice(0, 3), ...options, ...words.slice(3)].join(" ");
}
