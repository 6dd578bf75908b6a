// One attention map laid out as every picture needs it: labelled rows and columns of weights.
import type { Explanation, NamedSource } from "./explanation.ts";
import { type Label, label_of, output_label, source_label } from "./label.ts";

export interface HeatMap {
  title: string;
  source?: NamedSource; // what the columns are, where that is known
  columns: Label[];
  rows: Label[];
  probabilities: number[];
  weights: Float64Array; // [rows, columns]; NaN where a step has no weight
}

// So long that no cell has room for a label, and no weight is large enough for the fixed scale.
export const crowded = (map: HeatMap): boolean => map.columns.length > 60;

export type MapChoice = number | "mean";

export const weight_at = (map: HeatMap, row: number, column: number): number => map.weights[row * map.columns.length + column] ?? NaN;

export function map_title(explanation: Explanation, choice: MapChoice): string {
  if (choice === "mean") {
    const heads = mean_of(explanation);
    return `layer ${explanation.maps[heads[0]!]?.layer}, mean of ${heads.length} heads`;
  }
  const name = explanation.maps[choice]!;
  const alone = explanation.maps.filter((map) => !map.pointing).length === 1;
  const title = name.pointing ? "pointing" : alone ? "attention" : `layer ${name.layer}, head ${name.head}`;
  return name.source !== "" && name.source !== "source" ? `${title} ${name.pointing ? "into" : "on"} ${name.source}` : title;
}

// The mean is over the heads of the last layer that look at the same source as the first; where the generator points, which
// is then the first, is none of them.
export function mean_of({ maps }: Explanation): number[] {
  const same = maps.filter((map) => map.source === maps[0]!.source && map.pointing === maps[0]!.pointing);
  const last = Math.max(...same.map((map) => map.layer));
  return maps.flatMap((map, i) => (same.includes(map) && map.layer === last ? [i] : []));
}

// What is shown unless something else is chosen, as in the pictures of the command line.
export function usual_choice(explanation: Explanation): MapChoice {
  const heads = mean_of(explanation);
  return heads.length > 1 ? "mean" : (heads[0] ?? 0);
}

function source_of(explanation: Explanation, map: number, positions: number): NamedSource | undefined {
  const name = explanation.maps[map]?.source ?? "source";
  const source = explanation.sources.find((one) => one.name === name) ?? explanation.sources[0];
  return source?.tokens.length === positions ? source : undefined;
}

// Columns carry the source's tokens when there is a weight for each of them, else plain numbers: a map over another
// memory must not be drawn as if it were over the source.
export function heat_map_of(explanation: Explanation, choice: MapChoice): HeatMap {
  const members = choice === "mean" ? mean_of(explanation) : [choice];
  const first = members[0] ?? 0;
  let positions = 0;
  for (const step of explanation.steps) positions = Math.max(positions, step.looks[first]?.weights.length ?? 0);
  if (explanation.steps.length === 0) positions = explanation.sources[0]?.tokens.length ?? 0;
  const source = source_of(explanation, first, positions);
  const columns = Array.from({ length: positions }, (_, i) =>
    source ? source_label(source.tokens[i]!) : label_of(String(i)),
  );
  const weights = new Float64Array(explanation.steps.length * positions).fill(NaN);
  explanation.steps.forEach((step, row) => {
    for (let column = 0; column < positions; ++column) {
      let sum = 0;
      let any = false;
      for (const map of members) {
        const weight = step.looks[map]?.weights[column];
        if (weight === undefined) continue;
        any = true;
        sum += weight;
      }
      if (any) weights[row * positions + column] = sum / members.length;
    }
  });
  return {
    title: map_title(explanation, choice),
    ...(source ? { source } : {}),
    columns,
    rows: explanation.steps.map((step) => output_label(step.token)),
    probabilities: explanation.steps.map((step) => step.probability),
    weights,
  };
}

export function map_of_rows(title: string, rows: Label[], columns: Label[], values: readonly (readonly number[])[]): HeatMap {
  const weights = new Float64Array(rows.length * columns.length).fill(NaN);
  values.forEach((row, i) => row.forEach((value, j) => {
    if (i < rows.length && j < columns.length) weights[i * columns.length + j] = value;
  }));
  return { title, rows, columns, probabilities: [], weights };
}

export function column_sums(map: HeatMap): number[] {
  const sums = new Array<number>(map.columns.length).fill(0);
  for (let row = 0; row < map.rows.length; ++row)
    for (let column = 0; column < sums.length; ++column) {
      const weight = weight_at(map, row, column);
      if (Number.isFinite(weight)) sums[column]! += weight;
    }
  return sums;
}

export function row_sums(map: HeatMap): number[] {
  return map.rows.map((_, row) => {
    let sum = 0;
    for (let column = 0; column < map.columns.length; ++column) {
      const weight = weight_at(map, row, column);
      if (Number.isFinite(weight)) sum += weight;
    }
    return sum;
  });
}

export function row_of(map: HeatMap, row: number): number[] {
  return Array.from({ length: map.columns.length }, (_, column) => weight_at(map, row, column));
}
