// What the page asks of whatever answers: over HTTP today, in the browser itself or from a recording just as well.
import type { Explanation } from "../model/explanation.ts";
import type { RunEvent } from "../model/run.ts";

export interface Mechanism {
  name: string;
  formula: string;
  paper: string;
}

export interface ModelInfo {
  name: string;
  path: string; // as the server was given it
  task: string;
  weights: number;
  columns: string[];
  sources: { name: string; kind: string; tokenizer: string; files?: boolean }[]; // files: its cells name some
  files?: boolean; // that lines name are opened
  target_tokenizer: string;
  max_length: number;
  attention: { score: Mechanism; bias: Mechanism[]; select: Mechanism; read: Mechanism; heads: number } | null;
  run: boolean;
}

export interface Edit {
  step: number;
  map: number;
  weights: number[];
}

export interface Request {
  model: string;
  text: string;
  beam?: number;
  prefix?: string;
  target?: string;
  edits?: Edit[];
  words?: boolean;
  detail?: boolean;
  saliency?: boolean;
  self_attention?: boolean;
  tree?: boolean;
  media?: boolean;
}

// Which map a picture has: none named, the mean of the last layer's heads.
export interface Drawn {
  layer?: number;
  head?: number;
}

export type Extra = "detail" | "saliency" | "self_attention" | "tree" | "media" | "edits" | "prefix" | "target" | "words";

export interface Engine {
  models(): Promise<ModelInfo[]>;
  // Whether a request may ask for this; what it may not is left out of requests.
  knows(extra: Extra): boolean;
  explain(request: Request, signal: AbortSignal): Promise<Explanation>;
  // The picture as `fovea show --svg` draws it.
  draw(request: Request, drawn: Drawn): Promise<string>;
  // Calls back with what has happened, then with each event as it comes; the result ends it. A failure that has passed is
  // told as an empty one.
  watch(model: string, heard: (events: RunEvent[], live: boolean) => void, failed: (message: string) => void): () => void;
}
