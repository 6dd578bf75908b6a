// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import type { ModelInfo } from "../src/engine/engine.ts";
import { RecordedEngine, address_of } from "../src/engine/recorded.ts";
import { plain, read_address, write_address } from "../src/model/address.ts";
import { command_of, quoted } from "../src/model/command.ts";
import { colour_of, hex, viridis_of } from "../src/model/colour.ts";
import { read_explanation } from "../src/model/explanation.ts";
import { column_sums, crowded, heat_map_of, map_of_rows, mean_of, usual_choice, row_of, weight_at } from "../src/model/heat_map.ts";
import { joined } from "../src/model/joining.ts";
import { label_of, output_label, printable, shorten, source_label } from "../src/model/label.ts";
import { Latest } from "../src/model/latest.ts";
import { pieces_of } from "../src/model/pieces.ts";
import { coverage_of, entropy, offset_of, rank_correlation, read_map, top_mass, warnings, with_weight } from "../src/model/reading.ts";
import { add_event, charts_of, empty_run } from "../src/model/run.ts";
import { file_name, inside_script } from "../src/model/saving.ts";
import { place_tree } from "../src/model/search_tree.ts";

const dates = (): unknown => JSON.parse(readFileSync(new URL("data/dates.json", import.meta.url), "utf8"));
const labels = (text: string) => Array.from(text, label_of);
const map_of = (rows: string, columns: string, values: number[][]) => map_of_rows("a map", labels(rows), labels(columns), values);

describe("explanation", () => {
  test("is read as it was written", () => {
    const read = read_explanation(dates());
    expect(read.text).toBe("1999-05-03");
    expect(read.sources[0]!.tokens).toHaveLength(16);
    expect(read.steps).toHaveLength(11);
    expect(read.steps[9]!.looks[0]!.weights[0]).toBeGreaterThan(0.5);
    expect(read.tree).toEqual([]);
  });
  test("says where it is wrong", () => {
    const broken = dates() as { steps: { looks: { weights: unknown }[] }[] };
    broken.steps[2]!.looks[0]!.weights = "none";
    expect(() => read_explanation(broken)).toThrow("steps[2].looks[0].weights is not a list");
    expect(() => read_explanation({ schema: "fovea.explanation/9" })).toThrow('the schema is "fovea.explanation/9"');
    expect(() => read_explanation(null)).toThrow("the document is not an object");
    expect(() => read_explanation({})).toThrow("schema is missing");
  });
  test("numbers that are not finite are no numbers", () => {
    const some = dates() as { score: unknown };
    some.score = null;
    expect(read_explanation(some).score).toBeNaN();
  });
  test("has its optional parts", () => {
    const more = { ...(dates() as object), tree: { nodes: [{ id: 0, parent: null, step: 0, token: "1", probability: 0.5, score: -1, kept: true }] }, self_maps: [{ part: "encoder", layer: 1, head: 2, weights: [[1, null]] }] };
    const read = read_explanation(more);
    expect(read.tree[0]!.parent).toBe(-1);
    expect(read.self_maps[0]!.weights[0]![1]).toBeNaN();
  });
  test("has pictures and sounds, and nothing else that could be put into an address", () => {
    const media = [
      { type: "image/png", width: 4, height: 2, data: "Zm9v" },
      { type: "audio/wav", width: 500, source: 1, data: "Zg==" },
      { type: "text/html", width: 1, height: 1, data: "Zm9v" },
      { type: "image/svg+xml", width: 1, height: 1, data: "Zm9v" },
      { type: "image/png", width: 1, height: 1, data: 'x" onload="y' },
    ];
    const read = read_explanation({ ...(dates() as object), media });
    expect(read.media.map((one) => one.address)).toEqual(["data:image/png;base64,Zm9v", "data:audio/wav;base64,Zg=="]);
    expect(read.media[1]).toMatchObject({ width: 500, source: 1 });
    expect(read_explanation(dates()).media).toEqual([]);
  });
});

describe("labels", () => {
  // The same cases as tests/show/label_test.cc has for the command line.
  test.each([[" ", "␣"], ["\t", "␉"], ["\u0000", "␀"], ["\u007f", "␡"], ["\u00a0", "␣"], ["\u200b", "□"], ["\u202e", "□"], ["\u0301", "◌\u0301"], ["é", "é"], ["", "∅"], ["\ue000", "□"]])("%j is drawn as %j", (token, drawn) => {
    expect(label_of(token).text).toBe(drawn);
  });
  test("stop, start and padding are never spelled", () => {
    expect(output_label("</s>").text).toBe("⏎");
    expect(output_label("<pad>").text).not.toContain("pad");
    expect(output_label("__proto__").text).toBe("__proto__");
    expect(source_label({ text: "</s>", start: 3, end: 3 }).name).toBe("stop symbol");
    expect(source_label({ text: "</s>", start: 0, end: 4 }).text).toBe("</s>");
  });
  test("lines", () => {
    expect(printable("a\u202eb\u0007")).toBe("a<U+202E>b␇");
    expect(shorten("abcdef", 4)).toBe("abc…");
  });
});

describe("maps", () => {
  test("rows and columns, and their sums", () => {
    const map = heat_map_of(read_explanation(dates()), 0);
    expect(map.columns.map((one) => one.text).join("")).toBe("3rd␣of␣May␣1999⏎");
    expect(map.rows.map((one) => one.text).join("")).toBe("1999-05-03⏎");
    expect(column_sums(map).reduce((a, b) => a + b, 0)).toBeCloseTo(11, 4);
  });
  test("a map over something else than the source has numbers for names", () => {
    const other = dates() as { steps: { looks: { weights: number[] }[] }[] };
    for (const step of other.steps) step.looks[0]!.weights = [0.5, 0.5];
    expect(heat_map_of(read_explanation(other), 0).columns.map((one) => one.text)).toEqual(["0", "1"]);
  });
  test("the mean is over the heads of the last layer that look at the same source", () => {
    const two = dates() as { maps: object[]; steps: { looks: { weights: number[]; scores: number[]; context_norm: number }[] }[] };
    two.maps.push({ layer: 0, head: 1, source: "source" }, { layer: 0, head: 0, source: "source2" });
    for (const step of two.steps) step.looks.push({ weights: step.looks[0]!.weights.map(() => 0), scores: [], context_norm: 0 }, { weights: [1], scores: [0], context_norm: 0 });
    const read = read_explanation(two);
    expect(mean_of(read)).toEqual([0, 1]);
    const [mean, first] = [heat_map_of(read, "mean"), heat_map_of(read, 0)];
    row_of(mean, 3).forEach((weight, i) => expect(weight).toBeCloseTo(row_of(first, 3)[i]! / 2, 12));
    expect(heat_map_of(read, 2).columns).toHaveLength(1);
    expect(mean.title).toBe("layer 0, mean of 2 heads");
    expect(usual_choice(read)).toBe("mean");
    two.maps[1] = { layer: 1, head: 0, source: "source" };
    expect(usual_choice(read_explanation(two))).toBe(1);
  });
  test("where the generator points is shown before the attention, and is no part of its mean", () => {
    const two = dates() as { maps: object[]; steps: { looks: { weights: number[]; scores: number[]; context_norm: number }[] }[] };
    two.maps.unshift({ layer: 0, head: 0, source: "source", part: "generator" });
    for (const step of two.steps) step.looks.unshift({ ...step.looks[0]!, weights: step.looks[0]!.weights.map((_, i) => Number(i === 2)) });
    const read = read_explanation(two);
    expect(usual_choice(read)).toBe(0);
    expect(weight_at(heat_map_of(read, 0), 0, 2)).toBe(1);
    expect([0, 1].map((i) => heat_map_of(read, i).title)).toEqual(["pointing", "attention"]);
  });
  test("a past has its words and the start symbol for names", () => {
    const past = ["<s>", "a", "b"].map((text, i) => ({ text, start: i, end: i > 0 ? i + 1 : 0, named: true }));
    const looks = [{ scores: [0, 0, 0], weights: [0, 1, 0], context_norm: 0 }];
    const steps = ["a", "b", "</s>"].map((token) => ({ token, probability: 1, alternatives: [], looks, copy_gate: 1 }));
    const read = read_explanation({ ...(dates() as object), source: { text: "", tokens: past }, maps: [{ layer: 0, head: 0, source: "past", part: "generator" }], steps });
    const map = heat_map_of(read, 0);
    expect(map.title).toBe("pointing into past");
    expect(map.columns.map((one) => one.text)).toEqual(["▸", "a", "b"]);
    expect(pieces_of(map).map((one) => one.gap + one.text).join("")).toBe(" ▸ a b");
  });
  test("colours begin and end where they should", () => {
    expect(hex(viridis_of(0))).toBe("#440154");
    expect(hex(viridis_of(1))).toBe("#fde725");
    expect(hex(viridis_of(NaN))).toBe("#808080");
    expect(colour_of(0.5, false)).not.toEqual(colour_of(0.5, true));
  });
});

describe("readings", () => {
  test("entropy in bits", () => {
    expect(entropy([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(2, 12);
    expect(entropy([1, 0])).toBe(0);
    expect(entropy([])).toBe(0);
  });
  test("a flat map is said to be flat", () => {
    const map = map_of("ab", "wxyz", [[0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]);
    expect(warnings(map, read_map(map)).join()).toContain("nearly flat (100 %");
    const sharp = map_of("ab", "wxyz", [[1, 0, 0, 0], [0, 1, 0, 0]]);
    expect(warnings(sharp, read_map(sharp))).toEqual([]);
  });
  test("weight on the stop symbol is told", () => {
    const map = { ...map_of("ab", "x", [[0.1, 0.9], [0.2, 0.8]]) };
    const source = { name: "source", text: "x", tokens: [{ text: "x", start: 0, end: 1, read: true }, { text: "</s>", start: 1, end: 1, read: true }] };
    const with_stop = { ...map_of_rows("a map", labels("ab"), [label_of("x"), output_label("</s>")], [[0.1, 0.9], [0.2, 0.8]]), source };
    expect(read_map(map).stop_share).toBe(0);
    expect(warnings(with_stop, read_map(with_stop)).join()).toContain("85 % of the weight lies on the stop symbol");
  });
  test("a map that is off by one is found, one that is not is left alone", () => {
    const shifted = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    expect(offset_of(map_of("abc", "abcd", shifted))).toBe(1);
    expect(offset_of(map_of("abc", "abcd", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]))).toBe(0);
    expect(offset_of(map_of("xyz", "abcd", shifted))).toBe(0);
  });
  test("what is not finite is told, not drawn over", () => {
    const map = map_of("a", "xy", [[NaN, 1]]);
    expect(warnings(map, read_map(map)).join()).toContain("not complete");
  });
  test("coverage", () => {
    expect(coverage_of(map_of("abc", "xyz", [[1, 0, 0], [1, 0, 0], [0, 0, 1]])).map((one) => one.note)).toEqual(["read again", "unread", ""]);
  });
  // scipy.stats.spearmanr([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) is 0.8; with ties ([1, 2, 2, 3], [1, 3, 2, 4]) 0.9486832980505138.
  test("rank correlation", () => {
    expect(rank_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])).toBeCloseTo(0.8, 12);
    expect(rank_correlation([1, 2, 2, 3], [1, 3, 2, 4])).toBeCloseTo(0.9486832980505138, 12);
    expect(rank_correlation([1, 1, 1], [1, 2, 3])).toBeNaN();
  });
  test("the greatest part of a row", () => {
    expect([...top_mass([0.1, 0.6, 0.3], 0.9)]).toEqual([1, 2]);
    expect(top_mass([0, 0], 0.9).size).toBe(0);
  });
  test("an edited weight makes the others give way", () => {
    const edited = with_weight([0.5, 0.3, 0.2], 0, 0.9);
    expect(edited[0]).toBeCloseTo(0.9, 12);
    expect(edited[1]! / edited[2]!).toBeCloseTo(1.5, 12);
    expect(edited.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(with_weight([1, 0, 0], 0, 0)).toEqual([0, 0.5, 0.5]);
    expect(with_weight([0.5, 0.5], 1, 7)).toEqual([0, 1]);
  });
});

describe("the tree of search", () => {
  test("has its best answer in the first row, and no two symbols in one place", () => {
    const node = (id: number, parent: number, step: number, token: string, score: number, kept = true) => ({ id, parent, step, token, probability: 0.5, score, kept });
    const nodes = [
      node(0, -1, 0, "a", -1), node(1, -1, 0, "b", -1.5), node(2, -1, 0, "c", -9, false), node(3, 0, 1, "d", -2), node(4, 0, 1, "e", -9, false), node(5, 1, 1, "f", -2),
      node(6, 3, 2, "g", -3), node(7, 3, 2, "</s>", -8), node(8, 5, 2, "</s>", -2.5), node(9, 6, 3, "h", -9, false),
    ];
    const { root, best, rows } = place_tree(nodes);
    expect([...best].map((one) => one.data.token).reverse()).toEqual(["<s>", "b", "f", "</s>"]);
    expect([...best].map((one) => rows.get(one))).toEqual([0, 0, 0, 0]);
    expect(new Set(root.descendants().map((one) => `${one.depth} ${rows.get(one)}`)).size).toBe(nodes.length + 1);
    expect(Math.max(...rows.values())).toBeLessThan(4);
  });
});

describe("long texts", () => {
  test("are hardly read where they have a tenth of an equal share", () => {
    const columns = "x".repeat(100);
    const flat = map_of("ab", columns, [0, 1].map(() => Array.from(columns, () => 0.01)));
    expect(coverage_of(flat).filter((one) => one.note === "unread")).toEqual([]);
    const one = map_of("ab", columns, [0, 1].map(() => Array.from(columns, (_, i) => (i === 3 ? 1 : 0))));
    expect(coverage_of(one).filter((one) => one.note === "unread")).toHaveLength(99);
    expect([crowded(flat), crowded(map_of("a", "xyz", [[1, 0, 0]]))]).toEqual([true, false]);
  });
});

describe("a recording", () => {
  test("has what was forced and edited, and no other answer", async () => {
    const request = { model: "dates", text: "x", prefix: "19", edits: [{ step: 1, map: 0, weights: [1 / 3, 2 / 3] }] };
    const address = read_address(address_of(request));
    expect(address).toMatchObject({ text: "x", prefix: "19", edits: [{ step: 1, map: 0 }] });
    const engine = new RecordedEngine({ model: {} as ModelInfo, request, explanation: dates(), drawn: { layer: 0, head: 1 }, svg: "<svg/>" });
    expect((await engine.explain({ ...request, edits: address.edits })).text).toBe("1999-05-03");
    await expect(engine.explain({ model: "dates", text: "x" })).rejects.toThrow("one answer only");
    expect(await engine.draw(request, { layer: 0, head: 1 })).toBe("<svg/>");
    await expect(engine.draw(request, {})).rejects.toThrow("the map that was shown");
  });
});

describe("address", () => {
  test("comes back as it went", () => {
    const address = { ...plain, model: "dates", text: "3rd & 4th=#<b>\t𝒳 %", beam: 4, prefix: "19", view: "ribbons" as const, choice: "mean" as const, scale: "row" as const, step: 3, position: 7, keep: 0.5, large: true, whole: true, own: 2, sample: 1, validation: 4, frame: 5, words: true, target: "a", other: "b", edits: [{ step: 1, map: 0, weights: [0.25, 0.75] }] };
    expect(read_address("#" + write_address(address))).toEqual(address);
    expect(write_address(plain)).toBe("");
    expect(write_address({ ...plain, view: "media" }, "media")).toBe("");
    expect(read_address("", "media").view).toBe("media");
    expect(read_address("#" + write_address(plain, "media"), "media").view).toBe("map");
  });
  test("nonsense is the plain state", () => {
    expect(read_address("#view=<script>&beam=-3&step=1e99&edit=a_b&edit=1_0&choice=x&scale=9&position=-2&keep=7&own=z&sample=1.5&large=1")).toEqual({ ...plain, choice: 0 });
  });
});

describe("command line", () => {
  test("quotes what a shell would change", () => {
    expect(quoted("plain-1.0")).toBe("plain-1.0");
    expect(quoted("it's $HOME `x`")).toBe(`'it'\\''s $HOME \`x\`'`);
    expect(quoted("a\tb'")).toBe("$'a\\tb\\''");
    expect(command_of({ model: "dates", text: "-x", beam: 4, prefix: "19" }, "runs/dates")).toBe("fovea show runs/dates --beam 4 --prefix 19 -- -x");
    expect(command_of({ model: "dates", text: "x", saliency: true, self_attention: true }, "runs/dates")).toBe("fovea show runs/dates --saliency --self-attention x");
  });
  test("has the weights that were edited", () => {
    const edits = [{ step: 1, map: 0, weights: [1 / 3, 2 / 3, 0] }];
    expect(command_of({ model: "dates", text: "x" }, "my runs/dates", { layer: 1, head: 0 })).toBe("fovea show 'my runs/dates' --layer 1 --head 0 x");
    expect(command_of({ model: "dates", text: "x", edits }, "runs/dates")).toBe(`fovea show runs/dates --edits '[{"step":1,"map":0,"weights":[0.333333,0.666667,0]}]' x`);
  });
  test("tokens are joined as their tokenizer would", () => {
    expect(joined(["a", "b", "</s>"], "char")).toBe("ab");
    expect(joined(["a", "b"], "word")).toBe("a b");
    expect(joined(["▁a", "b", "▁c"], "pieces:8000")).toBe("ab c");
  });
});

describe("asking", () => {
  test("only the newest answer counts, however late others come", async () => {
    const waiting: ((answer: string) => void)[] = [];
    const taken: string[] = [];
    const signals: AbortSignal[] = [];
    const latest = new Latest<string, string>(
      (_, signal) => new Promise((resolve) => { signals.push(signal); waiting.push(resolve); }),
      (question, answer) => taken.push(question + answer),
      () => taken.push("failed"),
    );
    latest.put("a", 0);
    latest.put("b", 0);
    waiting[1]!("2");
    waiting[0]!("1");
    await Promise.resolve();
    await Promise.resolve();
    expect(taken).toEqual(["b2"]);
    expect(signals[0]!.aborted).toBe(true);
  });
  test("while one types nothing is asked", () => {
    vi.useFakeTimers();
    const ask = vi.fn(() => Promise.resolve(""));
    const latest = new Latest<string, string>(ask, () => undefined, () => undefined);
    for (const text of ["a", "ab", "abc"]) latest.put(text, 60);
    vi.advanceTimersByTime(59);
    expect(ask).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(ask.mock.calls[0]).toEqual(["abc", expect.any(AbortSignal)]);
    vi.useRealTimers();
  });
});

describe("runs", () => {
  test("events become curves, samples and a film", () => {
    const run = empty_run();
    add_event(run, { event: "update", update: 10, training_loss: 2, learning_rate: 0.1, gradient_norm: 3, seconds: 1 });
    add_event(run, { event: "validation", update: 10, training_loss: 2, held_out_loss: 1.5, exact: 0.5, cer: 0.1, best: true, metric: "cer", samples: [{ source: "a", target: "b", answer: "c", explanation: dates() }] });
    const film = { ...(dates() as object), text: "from the film" };
    add_event(run, { update: 10, embeddings: { tokens: ["a", "b"], points: [[0, 1], ["x", 2]] }, samples: [film] });
    expect(run.validations[0]!.samples.map((sample) => sample.source)).toEqual(["a", "3rd of May 1999"]);
    add_event(run, { event: "ended" });
    expect(charts_of(run).first.map((chart) => chart.title)).toEqual(["loss", "cer", "learning rate", "gradient norm"]);
    expect(charts_of(run).rest.map((chart) => chart.title)).toEqual(["exact"]);
    expect(run.curves.get("training_loss")).toEqual([{ x: 10, y: 2 }]);
    expect(run.validations[0]!.samples[0]!.explanation!.text).toBe("1999-05-03");
    expect(run.frames).toEqual([{ update: 10, tokens: ["a"], points: [[0, 1]] }]);
    expect(run.over).toBe(true);
  });
  test("what is told of a validation becomes one, whichever comes first, and is seen to change", () => {
    const run = empty_run();
    const film = { update: 20, embeddings: { tokens: [], points: [] }, samples: [dates()] };
    add_event(run, film);
    const before = run.validations[0];
    const line = "3rd of May 1999";
    add_event(run, { event: "validation", update: 20, best: true, samples: [{ source: line, target: "t", answer: "a" }], worst: [{ source: "b…", line: "bc\td", target: "x", answer: "y", edits: 3 }, null] });
    add_event(run, { event: "validation", update: 10, samples: [] });
    expect(run.validations.map((one) => one.update)).toEqual([10, 20]);
    const validation = run.validations[1]!;
    expect(validation).not.toBe(before);
    expect(validation.samples).toHaveLength(1);
    expect(validation.samples[0]).toMatchObject({ target: "t", line });
    expect(validation.samples[0]!.explanation!.text).toBe("1999-05-03");
    expect(validation.worst[0]).toMatchObject({ source: "b…", line: "bc\td", edits: 3 });
    expect(validation.worst[1]!.edits).toBeNaN();
    expect(run.frames).toEqual([]);
  });
});

describe("files", () => {
  test("names are plain, and nothing ends a script", () => {
    expect(file_name("../../1999 05", "svg")).toBe("1999-05.svg");
    expect(file_name("///", "svg")).toBe("fovea.svg");
    expect(inside_script({ text: "</script><!--" })).not.toContain("<");
    expect(JSON.parse(inside_script({ text: "</script>" }))).toEqual({ text: "</script>" });
  });
});
