// A map as an SVG file, the same bytes as `fovea show --svg` writes (src/show/svg.cc); a test compares them.
import { hex, ink_on, viridis_of } from "./colour.ts";
import type { Explanation } from "./explanation.ts";
import { type HeatMap, type MapChoice, column_sums, heat_map_of, weight_at } from "./heat_map.ts";
import { type Label, display_width, isolate, printable, shorten } from "./label.ts";
import { standing_line } from "./reading.ts";

const page_margin = 16;
const right_margin = 72; // the probability of each step
const strip_height = 26; // of the coverage bars
const faintest_weight = 0.002; // fainter cells cannot be told from the background
const character_advance = 0.61; // in font sizes
const heading_font = 15;
const max_label = 24;
const font_family = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono', monospace";

export function escape(text: string): string {
  let result = "";
  for (const character of text) {
    const c = character.codePointAt(0)!;
    const control = (c < 0x20 && character !== "\t" && character !== "\n") || (c >= 0x7f && c < 0xa0);
    const noncharacter = (c & 0xfffe) === 0xfffe || (c >= 0xfdd0 && c <= 0xfdef) || (c >= 0xd800 && c < 0xe000);
    const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
    result += named[character] ?? (control || noncharacter ? "\ufffd" : character);
  }
  return result;
}

// As fmt writes numbers: a tie goes to the even digit. Only numbers with few binary digits after the point can be a tie.
export function fixed(value: number, digits: number): string {
  const scale = 10 ** digits;
  const scaled = value * scale;
  const floor = Math.floor(scaled);
  if (scaled - floor === 0.5 && Number.isInteger(value * 2 ** (digits + 1))) return ((floor % 2 === 0 ? floor : floor + 1) / scale).toFixed(digits);
  return value.toFixed(digits);
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
const text_width = (columns: number, font: number): number => columns * font * character_advance;
const widest = (labels: readonly Label[]): number =>
  labels.reduce((width, label) => Math.max(width, Math.min(label.width, max_label)), 1);
const six_columns = (share: number): string =>
  (Number.isFinite(share) ? fixed(100 * clamp(share, 0, 1), 1).padStart(5) : "    ?").concat(Number.isFinite(share) ? "%" : "").padStart(6);

interface Layout {
  cell: number;
  gap: number; // around a cell
  font: number; // of the labels
  upright: boolean; // column labels; words stand on their ends
  left: number;
  top: number;
  map_width: number;
  map_height: number;
  width: number;
  height: number;
}

function lay_out(map: HeatMap, heading: number): Layout {
  const cell = Math.floor(clamp(960 / Math.max(map.columns.length, map.rows.length, 1), 7, 32));
  const font = clamp(cell * 0.62, 6, 16);
  const column_label = widest(map.columns);
  const upright = column_label <= 2;
  const left = page_margin + Math.max(text_width(widest(map.rows), font) + 8, 68);
  const top = page_margin + 66 + (upright ? font * 1.5 : text_width(column_label, font) + 6);
  const map_width = cell * map.columns.length;
  const map_height = cell * map.rows.length;
  return {
    cell, gap: cell >= 14 ? 0.75 : 0, font, upright, left, top, map_width, map_height,
    width: Math.max(left + map_width + right_margin, heading + 2 * page_margin, 360),
    height: top + map_height + strip_height + 44 + page_margin,
  };
}

function label_text(label: Label, placed: string): string {
  const on_circle = label.text.startsWith("◌") ? ` font-family="'DejaVu Sans', 'Noto Sans', sans-serif"` : "";
  return `<text ${placed} direction="ltr" unicode-bidi="isolate"${on_circle}>${escape(shorten(label.text, max_label))}</text>`;
}

function heading_lines(explanation: Explanation, map: HeatMap, layout: Layout): string[] {
  const room = Math.trunc((layout.width - 2 * page_margin) / (heading_font * character_advance));
  const line = (text: string): string => escape(isolate(shorten(printable(text), room - 2)));
  const y = page_margin + 12;
  return [
    '<rect width="100%" height="100%" rx="10" fill="#ffffff"/>',
    `<g font-size="${heading_font}" fill="currentColor"><text x="${page_margin}" y="${y}">${line(explanation.sources[0]!.text)}</text>`,
    `<text x="${page_margin}" y="${y + 20}" font-weight="bold">→ ${line(explanation.text + (explanation.finished ? "" : " (unfinished)"))}</text></g>`,
    `<text x="${page_margin}" y="${y + 42}" fill="currentColor" fill-opacity=".65">${escape(map.title)}</text>`,
  ];
}

function column_labels(map: HeatMap, { left, top, cell, font, upright }: Layout): string[] {
  const lines = map.columns.map((label, i) => {
    const x = left + cell * i + cell / 2;
    const y = top - 5 - font * 0.3;
    return label_text(
      label,
      upright
        ? `x="${fixed(x, 1)}" y="${fixed(y, 1)}"`
        : `transform="translate(${fixed(x + font * 0.35, 1)} ${fixed(y, 1)}) rotate(-90)"`,
    );
  });
  return [`<g font-size="${fixed(font, 1)}" fill="currentColor" text-anchor="${upright ? "middle" : "start"}">`, ...lines, "</g>"];
}

function cell_lines(map: HeatMap, layout: Layout, row: number, column: number): string[] {
  const { left, top, cell, gap } = layout;
  const weight = Math.fround(weight_at(map, row, column));
  const colour = viridis_of(weight);
  const side = fixed(cell - 2 * gap, 2);
  const [x, y] = [left + cell * column, top + cell * row];
  const lines = [
    `<g class="cell"><title>${escape(map.rows[row]!.name)} read ${escape(map.columns[column]!.name)} at ${column}: ${fixed(weight, 3)}</title>`,
    `<rect x="${fixed(x + gap, 2)}" y="${fixed(y + gap, 2)}" width="${side}" height="${side}"${gap > 0 ? ' rx="2"' : ""} fill="${hex(colour)}"/>`,
  ];
  if (cell >= 22 && weight >= 0.05) {
    lines.push(
      `<text x="${fixed(x + cell / 2, 1)}" y="${fixed(y + cell / 2 + 3.5, 1)}" font-size="${fixed(cell * 0.34, 1)}" text-anchor="middle" fill="${ink_on(colour)}">${fixed(100 * weight, 0)}</text>`,
    );
  }
  return [...lines, "</g>"];
}

function cells(map: HeatMap, layout: Layout): string[] {
  const { left, top, map_width, map_height } = layout;
  const lines = [
    `<rect x="${fixed(left - 2, 1)}" y="${fixed(top - 2, 1)}" width="${fixed(map_width + 4, 1)}" height="${fixed(map_height + 4, 1)}" rx="3" fill="${hex(viridis_of(0))}"/>`,
  ];
  if (map.columns.length === 0)
    lines.push(`<text x="${fixed(left + 10, 1)}" y="${fixed(top + 12, 1)}" fill="currentColor">The source is empty.</text>`);
  for (let row = 0; row < map.rows.length; ++row)
    for (let column = 0; column < map.columns.length; ++column)
      if (!(weight_at(map, row, column) < faintest_weight)) lines.push(...cell_lines(map, layout, row, column));
  return lines;
}

function row_labels(map: HeatMap, { left, top, cell, font, map_width }: Layout): string[] {
  const middle = (row: number): string => fixed(top + cell * row + cell / 2 + font * 0.35, 1);
  return [
    `<g font-size="${fixed(font, 1)}" fill="currentColor" text-anchor="end">`,
    ...map.rows.map((label, row) => label_text(label, `x="${fixed(left - 8, 1)}" y="${middle(row)}"`)),
    "</g>",
    `<g font-size="${fixed(Math.min(font, 12), 1)}" fill="currentColor" fill-opacity=".65" text-anchor="end">`,
    ...map.rows.map((_, row) => `<text x="${fixed(left + map_width + 54, 1)}" y="${middle(row)}">${six_columns(map.probabilities[row] ?? NaN)}</text>`),
    "</g>",
  ];
}

function coverage_strip(map: HeatMap, { left, top, cell, gap, map_width, map_height }: Layout): string[] {
  const sums = column_sums({ ...map, weights: Float64Array.from(map.weights, Math.fround) });
  if (sums.length === 0) return [];
  const y = top + map_height + 8;
  const most = Math.max(1, ...sums);
  const lines = [
    `<g font-size="11" fill="currentColor" fill-opacity=".65"><text x="${fixed(left - 8, 1)}" y="${fixed(y + 10, 1)}" text-anchor="end">coverage</text><text x="${fixed(left + map_width + 10, 1)}" y="${fixed(y + 10, 1)}">0 to ${fixed(most, 1)}</text></g>`,
  ];
  sums.forEach((sum, i) => {
    if (sum < faintest_weight) return;
    lines.push(
      `<g class="cell"><title>${escape(map.columns[i]!.name)} at ${i} was read ${fixed(sum, 3)} times in all</title>`,
      `<rect x="${fixed(left + cell * i + gap, 2)}" y="${fixed(y, 1)}" width="${fixed(cell - 2 * gap, 2)}" height="${fixed((strip_height * sum) / most, 2)}" fill="#21918c"/></g>`,
    );
  });
  return lines;
}

function legend({ left, top, map_height }: Layout): string[] {
  const y = top + map_height + strip_height + 32;
  const shades = 40;
  const width = 4;
  return [
    `<g font-size="11" fill="currentColor"><text x="${fixed(left - 8, 1)}" y="${fixed(y + 9, 1)}" text-anchor="end">weight 0</text><text x="${fixed(left + shades * width + 8, 1)}" y="${fixed(y + 9, 1)}">1</text></g>`,
    '<g shape-rendering="crispEdges">',
    ...Array.from(
      { length: shades },
      (_, i) => `<rect x="${fixed(left + width * i, 1)}" y="${fixed(y, 1)}" width="${width}" height="10" fill="${hex(viridis_of(i / (shades - 1)))}"/>`,
    ),
    "</g>",
  ];
}

export function draw_svg(explanation: Explanation, choice: MapChoice): string {
  const map = heat_map_of(explanation, choice);
  const source = explanation.sources[0]!.text;
  const columns = Math.max(display_width(source), display_width(explanation.text) + 2);
  const layout = lay_out(map, Math.min(text_width(columns + 3, heading_font), 720));
  const [width, height] = [fixed(layout.width, 0), fixed(layout.height, 0)];
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font_family}" font-size="13" color="#1f2430">`,
    `<title>${escape(map.title)}: ${escape(printable(source))} → ${escape(printable(explanation.text))}</title>`,
    `<desc>${map.columns.length} source positions across, ${map.rows.length} output steps down; the lighter a cell, the greater the weight, from 0 to 1. ${standing_line}</desc>`,
    ...heading_lines(explanation, map, layout),
    ...column_labels(map, layout),
    ...cells(map, layout),
    ...row_labels(map, layout),
    ...coverage_strip(map, layout),
    ...legend(layout),
    "</svg>",
  ];
  return lines.join("\n") + "\n";
}
