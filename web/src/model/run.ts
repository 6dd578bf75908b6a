// A run as its events tell it: curves, the samples of each validation and, where they were kept, the film of embeddings.
import { type Explanation, read_explanation } from "./explanation.ts";

export type RunEvent = Record<string, unknown>;

export interface Point {
  x: number;
  y: number;
}

export interface Sample {
  source: string;
  target: string;
  answer: string;
  line: string; // as it is asked again
  explanation?: Explanation;
}

export interface Wrong extends Sample {
  edits: number;
}

export interface Validation {
  update: number;
  best: boolean;
  samples: Sample[];
  worst: Wrong[];
}

export interface Frame {
  update: number;
  tokens: string[];
  points: [number, number][];
}

export interface Run {
  curves: Map<string, Point[]>; // by the name of the number
  validations: Validation[];
  frames: Frame[];
  notices: string[];
  metric: string; // what decides, where that is told
  seconds: number;
  seconds_left: number;
  update: number;
  epoch: number;
  over: boolean;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : NaN);
const is_object = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Not curves: what says where on them we are, or what only changes in steps of its own.
const not_a_curve = new Set(["update", "epoch", "seconds", "seconds_left", "skipped", "patience_left", "best", "time"]);

function explanation_in(value: unknown): Explanation | undefined {
  if (!is_object(value)) return undefined;
  try {
    return read_explanation(value);
  } catch {
    return undefined; // a sample whose picture cannot be read is still a sample
  }
}

function read_sample(value: unknown): Sample {
  const sample = is_object(value) ? value : {};
  const explanation = explanation_in(sample.explanation ?? (sample.schema ? sample : undefined));
  const source = text(sample.source) || (explanation?.sources[0]?.text ?? "");
  return {
    source,
    line: text(sample.line) || source,
    target: text(sample.target),
    answer: text(sample.answer) || (explanation?.text ?? ""),
    ...(explanation ? { explanation } : {}),
  };
}

export function read_frame(value: unknown): Frame | undefined {
  if (!is_object(value) || !is_object(value.embeddings)) return undefined;
  const { tokens, points } = value.embeddings;
  if (!Array.isArray(tokens) || !Array.isArray(points)) return undefined;
  const frame: Frame = { update: number(value.update), tokens: [], points: [] };
  points.forEach((point: unknown, i) => {
    if (!Array.isArray(point) || typeof point[0] !== "number" || typeof point[1] !== "number") return;
    frame.tokens.push(text(tokens[i]));
    frame.points.push([point[0], point[1]]);
  });
  return frame;
}

export function empty_run(): Run {
  return {
    curves: new Map(), validations: [], frames: [], notices: [], metric: "",
    seconds: NaN, seconds_left: NaN, update: 0, epoch: 0, over: false,
  };
}

function add_numbers(run: Run, event: RunEvent, update: number): void {
  for (const [name, value] of Object.entries(event)) {
    if (not_a_curve.has(name) || typeof value !== "number") continue;
    // The loss of an update is of that update; a validation tells the mean since the last, on the same curve's scale.
    if (event.event === "validation" && name === "training_loss") continue;
    const points = run.curves.get(name) ?? [];
    points.push({ x: update, y: value });
    run.curves.set(name, points);
  }
}

// That of an update, in the order of updates, whatever of it is told first. It is a new one: whoever shows the old one sees
// that it has changed.
function validation_at(run: Run, update: number): Validation {
  const at = run.validations.findIndex((one) => one.update >= update);
  const place = at < 0 ? run.validations.length : at;
  const known = run.validations[place];
  const same = known?.update === update;
  const made: Validation = same ? { ...known, samples: [...known.samples] } : { update, best: false, samples: [], worst: [] };
  run.validations.splice(place, same ? 1 : 0, made);
  return made;
}

// The film has pictures, the validation what was wanted.
function join_samples(validation: Validation, pictured: Sample[]): void {
  for (const picture of pictured) {
    const at = validation.samples.findIndex((sample) => sample.source === picture.source);
    const same = validation.samples[at];
    if (!same) validation.samples.push(picture);
    else if (picture.explanation && !same.explanation) validation.samples[at] = { ...same, explanation: picture.explanation };
  }
}

export function add_event(run: Run, event: RunEvent): void {
  const update = number(event.update);
  const frame = read_frame(event);
  if (frame) {
    if (frame.tokens.length > 0) run.frames.push(frame);
    // A film's samples are pictures of the same lines at each validation.
    if (Array.isArray(event.samples) && event.event !== "validation") {
      join_samples(validation_at(run, update), event.samples.map(read_sample));
      return;
    }
  }
  if (event.event === "update" || event.event === "validation") {
    if (Number.isFinite(update)) run.update = Math.max(run.update, update);
    if (Number.isFinite(number(event.epoch))) run.epoch = number(event.epoch);
    if (Number.isFinite(number(event.seconds))) run.seconds = number(event.seconds);
    if (event.event === "update") run.seconds_left = number(event.seconds_left);
    add_numbers(run, event, update);
  }
  if (event.event === "validation") {
    run.metric = text(event.metric) || run.metric;
    const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
    const validation = validation_at(run, update);
    const pictured = validation.samples;
    validation.best = event.best === true;
    validation.samples = list(event.samples).map(read_sample);
    validation.worst = list(event.worst).map((one) => ({ ...read_sample(one), edits: number((one as RunEvent | null)?.edits) }));
    join_samples(validation, pictured);
  } else if (event.event === "notice" || event.event === "warning") run.notices.push(text(event.text));
  else if (event.event === "ended") run.over = true;
}

export interface Chart {
  title: string;
  series: { name: string; points: Point[] }[];
  share: boolean; // drawn in percent
  log: boolean;
}

const not_metrics = ["training_loss", "held_out_loss", "learning_rate", "gradient_norm", "tokens_per_second"];
const shares = new Set(["exact", "cer", "wer", "accuracy", "f1", "top2", "ter"]);
const usual = ["exact", "accuracy", "f1", "bleu", "chrf", "perplexity", "cer", "wer"]; // what decides where that is not told

// What one looks at first; `rest` are curves of less interest.
export function charts_of(run: Run): { first: Chart[]; rest: Chart[] } {
  const series = (key: string, name: string) => ({ name, points: run.curves.get(key) ?? [] });
  const chart = (title: string, keys: [string, string][], log = false): Chart[] => {
    const drawn = keys.map(([key, name]) => series(key, name)).filter((one) => one.points.length > 0);
    return drawn.length > 0 ? [{ title, series: drawn, share: shares.has(title), log }] : [];
  };
  const metrics = [...run.curves.keys()].filter((name) => !not_metrics.includes(name));
  const decides = [run.metric, ...usual, ...metrics].find((name) => metrics.includes(name));
  const of = (name: string): Chart[] => chart(name, [[name, name]]);
  return {
    first: [
      ...chart("loss", [["training_loss", "training"], ["held_out_loss", "held out"]]),
      ...(decides ? of(decides) : []),
      ...chart("learning rate", [["learning_rate", "rate"]]),
      ...chart("gradient norm", [["gradient_norm", "norm"]], true),
    ],
    rest: [...metrics.filter((name) => name !== decides).flatMap(of), ...chart("tokens per second", [["tokens_per_second", "rate"]])],
  };
}
