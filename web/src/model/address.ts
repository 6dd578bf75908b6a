// The state of the page as the part of its address after the #, so that a link shows what its sender saw.
import type { Edit } from "../engine/engine.ts";
import type { MapChoice } from "./heat_map.ts";

export const views = ["map", "media", "ribbons", "text", "heads", "self", "gradient", "beam", "compare", "training"] as const;
export type View = (typeof views)[number];
export type Scale = "fixed" | "row";

export interface Address {
  model: string;
  text: string;
  beam: number;
  prefix: string;
  target: string;
  edits: Edit[];
  other: string;
  view: View;
  choice: MapChoice | "";
  scale: Scale;
  step: number;
  position: number; // -1: none
  words: boolean;
  keep: number;
  large: boolean;
  whole: boolean;
  own: number;
  sample: number;
  validation: number;
  frame: number;
}

export const plain: Address = {
  model: "", text: "", beam: 1, prefix: "", target: "", edits: [], other: "", view: "map", choice: "", scale: "fixed", step: 0, position: -1, words: false,
  keep: 0.9, large: false, whole: false, own: 0, sample: -1, validation: -1, frame: -1,
};

const write_edit = ({ step, map, weights }: Edit): string => [step, map, ...weights.map((w) => Number(w.toPrecision(6)))].join("_");

function read_edit(text: string): Edit | undefined {
  const [step, map, ...weights] = text.split("_").map(Number);
  if (![step, map, ...weights].every((n) => n !== undefined && Number.isFinite(n) && n >= 0) || weights.length === 0) return undefined;
  return { step: step!, map: map!, weights };
}

// `first` is the view where none is named.
export function write_address(address: Address, first: View = plain.view): string {
  const query = new URLSearchParams();
  const usual = { ...plain, view: first };
  for (const [name, value] of Object.entries(address)) {
    if (name === "edits" || value === usual[name as keyof Address] || value === "") continue;
    query.set(name, String(value));
  }
  for (const edit of address.edits) query.append("edit", write_edit(edit));
  return query.toString();
}

function whole(text: string | null, most: number, otherwise: number): number {
  const value = Number(text ?? NaN);
  return Number.isInteger(value) && value >= 0 && value <= most ? value : otherwise;
}

export function read_address(hash: string, first: View = plain.view): Address {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const view = views.find((one) => one === query.get("view")) ?? first;
  const choice = query.get("choice");
  const keep = Number(query.get("keep"));
  return {
    model: query.get("model") ?? "",
    text: query.get("text") ?? "",
    beam: Math.max(1, whole(query.get("beam"), 64, 1)),
    prefix: query.get("prefix") ?? "",
    target: query.get("target") ?? "",
    edits: query.getAll("edit").map(read_edit).filter((edit) => edit !== undefined),
    other: query.get("other") ?? "",
    view,
    choice: choice === "mean" ? "mean" : choice === null ? "" : whole(choice, 10000, 0),
    scale: query.get("scale") === "row" ? "row" : "fixed",
    step: whole(query.get("step"), 100000, 0),
    position: whole(query.get("position"), 100000, -1),
    words: query.get("words") === "true",
    keep: keep > 0 && keep <= 1 ? keep : plain.keep,
    large: query.get("large") === "true",
    whole: query.get("whole") === "true",
    own: whole(query.get("own"), 100000, 0),
    sample: whole(query.get("sample"), 100000, -1),
    validation: whole(query.get("validation"), 100000, -1),
    frame: whole(query.get("frame"), 100000, -1),
  };
}
