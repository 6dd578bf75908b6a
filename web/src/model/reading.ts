// What can be said about a map in numbers, and where it misleads: entropy, weight on the stop symbol, weight that seems to
// lie beside what was read, words left out or read twice, and how far attention and gradient agree.
import { type HeatMap, column_sums, row_of, weight_at } from "./heat_map.ts";
import { is_stop } from "./label.ts";

export const standing_line = "Attention shows where the model read, not why it answered.";

export interface Reading {
  entropy: number; // mean over the steps, in bits
  flatness: number; // the same as a share of the greatest possible
  stop_share: number; // mean share of weight on the source's stop symbol
  broken: boolean; // some weight is missing or not finite
  offset: number; // by how many positions copied symbols lie beside the greatest weight; 0: none, or it cannot be told
}

// In bits, of weights that need not sum to one.
export function entropy(weights: readonly number[]): number {
  const sum = weights.reduce((total, weight) => total + (weight > 0 ? weight : 0), 0);
  if (!(sum > 0)) return 0;
  return weights.reduce((total, w) => (w > 0 ? total - (w / sum) * Math.log2(w / sum) : total), 0);
}

const stops = (map: HeatMap): boolean[] => map.columns.map((_, i) => !!map.source && is_stop(map.source.tokens[i]!));

export function most(values: readonly number[]): number {
  let best = -1;
  values.forEach((value, i) => {
    if (Number.isFinite(value) && (best < 0 || value > values[best]!)) best = i;
  });
  return best;
}

// Symbols that stand in the source exactly once and were written say where the weight should be if they were copied. Where
// most of them have their greatest weight by the same distance beside, the map is off.
export function offset_of(map: HeatMap): number {
  if (map.source?.tokens.some((token) => token.named)) return 0; // not of the text, or of a past that has no symbol before it is written
  const counts = new Map<string, number[]>();
  map.columns.forEach((column, i) => counts.set(column.text, [...(counts.get(column.text) ?? []), i]));
  const distances = new Map<number, number>();
  let told = 0;
  map.rows.forEach((row, i) => {
    const places = counts.get(row.text);
    if (places?.length !== 1 || row.name === "stop symbol") return;
    const weights = row_of(map, i);
    const at = most(weights);
    if (at < 0 || weights[at]! < 0.4) return;
    ++told;
    distances.set(at - places[0]!, (distances.get(at - places[0]!) ?? 0) + 1);
  });
  for (const [distance, times] of distances) {
    if (Math.abs(distance) === 1 && told >= 3 && times / told > 0.6) return distance;
  }
  return 0;
}

export function read_map(map: HeatMap): Reading {
  const on_stop = stops(map);
  const positions = map.columns.length;
  const reading: Reading = { entropy: 0, flatness: 0, stop_share: 0, broken: false, offset: offset_of(map) };
  let steps = 0;
  map.rows.forEach((row, i) => {
    const weights = row_of(map, i);
    reading.broken ||= weights.some((weight) => !Number.isFinite(weight));
    // The step that stops has every reason to look at the stop symbol.
    if (row.name === "stop symbol") return;
    const sum = weights.reduce((total, weight) => total + (weight > 0 ? weight : 0), 0);
    if (!(sum > 0)) return;
    ++steps;
    const bits = entropy(weights);
    reading.entropy += bits;
    if (positions > 1) reading.flatness += bits / Math.log2(positions);
    weights.forEach((weight, column) => {
      if (on_stop[column] && weight > 0) reading.stop_share += weight / sum;
    });
  });
  if (steps > 0) {
    reading.entropy /= steps;
    reading.flatness /= steps;
    reading.stop_share /= steps;
  }
  return reading;
}

export function warnings(map: HeatMap, reading: Reading): string[] {
  const lines: string[] = [];
  const positions = map.columns.length;
  if (reading.broken) lines.push("Some weights are missing or not finite: this map is not complete.");
  if (reading.stop_share > 0.5 && positions > 1)
    lines.push(`${Math.round(100 * reading.stop_share)} % of the weight lies on the stop symbol: the map says little about the source.`);
  if (reading.flatness > 0.9 && positions > 2)
    lines.push(`The map is nearly flat (${Math.round(100 * reading.flatness)} % of the greatest entropy): the model hardly chose where to look.`);
  if (reading.offset !== 0)
    lines.push(
      `Copied symbols have their greatest weight one position ${reading.offset > 0 ? "after" : "before"} themselves: the map seems off by one, as recurrent encoders often are.`,
    );
  return lines;
}

export interface Coverage {
  sum: number;
  note: "" | "unread" | "read again";
}

const hardly = 0.1; // of a reading, or of an equal share where the text is longer than the answer
const again = 1.5;

export function coverage_of(map: HeatMap): Coverage[] {
  const on_stop = stops(map);
  const least = hardly * Math.min(1, map.rows.length / Math.max(map.columns.length, 1));
  return column_sums(map).map((sum, i) => ({
    sum,
    note: on_stop[i] ? "" : sum < least ? "unread" : sum > again ? "read again" : "",
  }));
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const result = new Array<number>(values.length);
  for (let i = 0; i < order.length; ) {
    let end = i;
    while (end < order.length && values[order[end]!] === values[order[i]!]) ++end;
    for (let k = i; k < end; ++k) result[order[k]!] = (i + end - 1) / 2;
    i = end;
  }
  return result;
}

// Spearman's: the correlation of the ranks; NaN where one side does not vary.
export function rank_correlation(a: readonly number[], b: readonly number[]): number {
  const n = Math.min(a.length, b.length);
  if (n < 2) return NaN;
  const [x, y] = [ranks(a.slice(0, n)), ranks(b.slice(0, n))];
  const mean = (n - 1) / 2;
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (let i = 0; i < n; ++i) {
    xy += (x[i]! - mean) * (y[i]! - mean);
    xx += (x[i]! - mean) ** 2;
    yy += (y[i]! - mean) ** 2;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

// Positions that together hold this share of a row's weight, greatest first.
export function top_mass(weights: readonly number[], share: number): Set<number> {
  const order = weights.map((_, i) => i).filter((i) => weights[i]! > 0).sort((a, b) => weights[b]! - weights[a]!);
  const total = order.reduce((sum, i) => sum + weights[i]!, 0);
  const kept = new Set<number>();
  let sum = 0;
  for (const i of order) {
    if (sum >= share * total - 1e-9) break;
    kept.add(i);
    sum += weights[i]!;
  }
  return kept;
}

// One weight of a row set anew, the others scaled so that the sum stays as it was.
export function with_weight(weights: readonly number[], position: number, wanted: number): number[] {
  const total = weights.reduce((sum, weight) => sum + (Number.isFinite(weight) ? weight : 0), 0) || 1;
  const value = Math.min(Math.max(wanted, 0), 1) * total;
  const others = total - (weights[position] ?? 0);
  const left = total - value;
  return weights.map((weight, i) => {
    if (i === position) return value;
    if (others > 1e-12) return ((Number.isFinite(weight) ? weight : 0) * left) / others;
    return weights.length > 1 ? left / (weights.length - 1) : 0;
  });
}

export const greatest = (map: HeatMap): number => {
  let best = 0;
  for (let row = 0; row < map.rows.length; ++row)
    for (let column = 0; column < map.columns.length; ++column) best = Math.max(best, weight_at(map, row, column) || 0);
  return best;
};
