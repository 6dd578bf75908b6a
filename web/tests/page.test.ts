import { readFileSync } from "node:fs";
import { flushSync, mount, unmount } from "svelte";
import { afterEach, expect, test } from "vitest";
import App from "../src/App.svelte";
import type { Engine, Extra, ModelInfo, Request } from "../src/engine/engine.ts";
import { type Explanation, read_explanation } from "../src/model/explanation.ts";
import { Session } from "../src/session.svelte.ts";

// What jsdom has not: nothing is laid out or painted here, that is for the browser's tests.
globalThis.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} };
HTMLCanvasElement.prototype.getContext = () => null;

const dates: unknown = JSON.parse(readFileSync("tests/data/dates.json", "utf8"));
const mechanism = (name: string, formula: string) => ({ name, formula, paper: "" });
const model: ModelInfo = {
  name: "dates", path: "runs/dates", task: "transduce", weights: 1, columns: ["source", "target"], sources: [{ name: "source", kind: "text", tokenizer: "char" }], target_tokenizer: "char", max_length: 100, run: false,
  attention: { score: mechanism("additive", "v' tanh(W q + U k + b)"), bias: [], select: mechanism("softmax", "exp"), read: mechanism("sum", "sum"), heads: 1 },
};

class Fake implements Engine {
  asked: Request[] = [];
  constructor(readonly known: Extra[] = ["prefix", "edits", "target"], readonly info: ModelInfo[] = [model]) {}
  models = () => Promise.resolve(this.info);
  knows = (extra: Extra) => this.known.includes(extra);
  explain = (request: Request): Promise<Explanation> => {
    this.asked.push(request);
    return Promise.resolve(read_explanation(dates));
  };
  draw = () => Promise.resolve("<svg/>");
  watch: Engine["watch"] = () => () => undefined;
}

let mounted: object | undefined;
async function show(engine: Fake, hash: string): Promise<Session> {
  const session = new Session(engine);
  mounted = mount(App, { target: document.body, props: { session } });
  await session.open(hash);
  await settled();
  return session;
}
async function settled(): Promise<void> {
  for (let i = 0; i < 5; ++i) await new Promise((resolve) => setTimeout(resolve, 0));
  flushSync();
}
afterEach(async () => {
  if (mounted) await unmount(mounted);
  document.body.replaceChildren();
  history.replaceState(null, "", "/");
});
const text = (selector: string): string => document.querySelector(selector)?.textContent ?? "";

test("the answer, its tokens and the formula are shown", async () => {
  await show(new Fake(), "#text=3rd of May 1999&step=2");
  expect(text("#answer")).toBe("1999-05-03");
  expect(document.querySelectorAll("[role=option]")).toHaveLength(11);
  expect(document.querySelector('[role=option][aria-selected="true"]')!.getAttribute("aria-label")).toContain("“9”");
  expect(document.body.textContent).toContain("e = v' tanh(W q + U k + b)");
  expect(text(".reading")).toContain("bits a step");
});

test("what the server does not know is not asked for", async () => {
  const engine = new Fake([]);
  await show(engine, "#text=x&view=gradient&beam=3");
  expect(Object.keys(engine.asked[0]!).sort()).toEqual(["beam", "model", "text"]);
  const more = new Fake(["detail", "tree", "saliency"]);
  await unmount(mounted!);
  await show(more, "#text=x&view=gradient&beam=3");
  expect(more.asked[0]).toMatchObject({ detail: true, tree: true, saliency: true });
});

test("another output is forced by its prefix, the stop symbol by the whole answer", async () => {
  const engine = new Fake();
  const session = await show(engine, "#text=x");
  session.force(4, "7");
  expect(engine.asked.at(-1)).toMatchObject({ prefix: "19997" });
  session.force(4, "</s>");
  expect(engine.asked.at(-1)).toMatchObject({ target: "1999" });
  expect(engine.asked.at(-1)!.prefix).toBeUndefined();
  await settled();
  expect(text("#forced")).toContain("Its own answer: 1999-05-03");
  session.undo();
  expect(engine.asked.at(-1)).toEqual({ model: "dates", text: "x" });
});

test("edits are of one step and are forgotten with the text", async () => {
  const engine = new Fake();
  const session = await show(engine, "#text=x");
  session.edit(1, [1, 0]);
  session.edit(1, [0, 1]);
  session.edit(2, [1, 0]);
  expect(engine.asked.at(-1)!.edits).toEqual([{ step: 1, map: 0, weights: [0, 1] }, { step: 2, map: 0, weights: [1, 0] }]);
  session.show_text("y");
  expect(engine.asked.at(-1)!.edits).toBeUndefined();
});

test("arrow keys move along the output", async () => {
  const session = await show(new Fake(), "#text=x");
  const press = (key: string) => {
    document.querySelector("[role=listbox]")!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    flushSync();
  };
  press("ArrowRight");
  press("ArrowRight");
  expect(session.step).toBe(2);
  press("End");
  press("ArrowRight");
  expect(session.step).toBe(10);
});

test("the address follows, and typing empties what is shown", async () => {
  const session = await show(new Fake(), "#text=x&view=ribbons");
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(location.hash).toBe("#text=x&view=ribbons");
  session.cells = [""];
  session.ask();
  flushSync();
  expect(session.explanation).toBeNull();
  expect(document.body.textContent).toContain("Nothing to show yet.");
});

test("a model of two columns has two boxes", async () => {
  const two = { ...model, columns: ["source", "source2", "target"] };
  const session = await show(new Fake([], [two]), "#text=a%09b");
  expect([...document.querySelectorAll("textarea")].map((box) => box.value)).toEqual(["a", "b"]);
  expect(session.text).toBe("a\tb");
});

test("a document is shaded by sentences, and a second source has a line of its own", async () => {
  const engine = new Fake();
  const token = (text: string, start: number, sentence?: number) => ({ text, start, end: start + text.length, ...(sentence === undefined ? {} : { sentence }) });
  const weights = [0.5, 0.2, 0.3];
  const explained = (tokens: object[], source: string) => ({ ...(dates as object), source: { text: source, tokens }, steps: [{ token: "x", probability: 1, alternatives: [], looks: [{ scores: weights, weights, context_norm: 1 }] }] });
  let answer = explained([token("One.", 0, 0), token("Two", 5, 1), token("more", 9, 1)], "One. Two more");
  engine.explain = () => Promise.resolve(read_explanation(answer));
  const session = await show(engine, "#text=x&view=text");
  expect(text("#shaded").trim()).toBe("50.0 % One. \n50.0 % Two more");
  answer = explained([token("ab", 0), token("</s>", 2), token("cd", 0)], "ab");
  session.ask();
  await settled();
  expect(text("#shaded").trim()).toMatch(/^ab.*\ncd$/);
});

test("a model of pictures shows them first, lit for each output", async () => {
  const seen: ModelInfo = { ...model, name: "scenes", files: true, sources: [{ name: "source", kind: "image", tokenizer: "", files: true }] };
  const engine = new Fake(["media"], [seen]);
  const box = (left: number) => ({ text: `1,${left / 8 + 1}`, start: left / 8, end: left / 8 + 1, box: [left, 0, left + 8, 8] });
  const step = (token: string, weights: number[]) => ({ token, probability: 1, alternatives: [], looks: [{ scores: weights, weights, context_norm: 1 }] });
  const tokens = [box(0), box(8), { text: "</s>", start: 2, end: 2 }];
  const answer = { ...(dates as object), source: { text: "a.png", tokens }, steps: [step("a", [0.2, 0.8, 0]), step("b", [0.5, 0.1, 0.4])], media: [{ type: "image/png", width: 16, height: 8, data: "Zm9v" }] };
  engine.explain = (request) => (engine.asked.push(request), Promise.resolve(read_explanation(answer)));
  const session = await show(engine, "#text=a.png");
  expect(session.view).toBe("media");
  expect(engine.asked[0]).toMatchObject({ text: "a.png", media: true });
  expect(text('[role=tab][aria-selected="true"]')).toBe("Picture");
  expect(document.querySelector("image")!.getAttribute("href")).toBe("data:image/png;base64,Zm9v");
  const veils = () => [...document.querySelectorAll(".picture .veil")].map((one) => Number(one.getAttribute("fill-opacity")));
  expect(veils()[0]).toBeCloseTo(0.78 * 0.75);
  expect(veils()[1]).toBe(0);
  const tiles = document.querySelectorAll<HTMLElement>(".tiles button");
  expect(tiles).toHaveLength(2);
  tiles[1]!.click();
  flushSync();
  expect(veils()[0]).toBe(0);
  document.querySelector(".picture")!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  document.querySelector(".picture")!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  flushSync();
  expect(session.position).toBe(1);
  expect(document.body.textContent).toContain("region 1,2: 10.0 %");
});

test("where the server opens no files, it is said how it would", async () => {
  const closed: ModelInfo = { ...model, name: "scenes", files: false, sources: [{ name: "source", kind: "image", tokenizer: "", files: true }] };
  await show(new Fake(["media"], [closed]), "");
  expect(text("code")).toBe("fovea serve scenes --files FOLDER");
});

test("a training is shown at once, follows its end, and stays where one has moved it", async () => {
  const engine = new Fake([], []);
  let tell: Parameters<Engine["watch"]>[1] | undefined;
  engine.watch = (_, heard) => {
    tell = heard;
    return () => undefined;
  };
  await show(engine, "");
  expect(document.querySelector("textarea")).toBeNull();
  const point = [[0, 1], [1, 0]];
  const validation = (update: number) => [
    { update, embeddings: { tokens: ["a", "b"], points: point }, samples: [dates] },
    { event: "validation", update, best: true, samples: [{ source: "3rd of May 1999", target: "1999-05-03", answer: `answer ${update}` }], worst: [{ source: `wrong ${update}`, target: "x", answer: "y", edits: 2 }] },
  ];
  const heard = (...events: object[]) => {
    tell!(events as Record<string, unknown>[], true);
    flushSync();
  };
  const [frame, rest] = validation(10);
  heard(frame!);
  heard(rest!);
  heard(...validation(20));
  expect(document.body.textContent).toContain("answer 20");
  expect(text("#worst tbody")).toContain("wrong 20");
  expect(document.querySelector("#worst button")).toBeNull();
  const sliders = () => [...document.querySelectorAll<HTMLInputElement>("input[type=range]")].map((slider) => slider.valueAsNumber);
  expect(sliders()).toEqual([1, 1]);
  const move = (slider: number, to: string) => {
    const input = document.querySelectorAll<HTMLInputElement>("input[type=range]")[slider]!;
    input.value = to;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    flushSync();
  };
  move(0, "0");
  heard(...validation(30));
  expect(sliders()).toEqual([0, 2]);
  expect(document.body.textContent).toContain("answer 10");
  move(0, "2");
  heard(...validation(40));
  expect(sliders()).toEqual([3, 3]);
  expect(document.body.textContent).toContain("answer 40");
});

test("of a run the first line that has a map is shown, with what maps tell, and its end is said", async () => {
  const engine = new Fake([], []);
  let tell: Parameters<Engine["watch"]>[1] | undefined;
  engine.watch = (_, heard) => ((tell = heard), () => undefined);
  await show(engine, "");
  const samples = [{ source: "none", target: "", answer: "" }, { source: "3rd of May 1999", target: "", answer: "", explanation: dates }];
  tell!([{ event: "validation", update: 10, samples }], true);
  flushSync();
  expect(document.querySelector("[aria-roledescription='heat map']")).not.toBeNull();
  expect(document.querySelector("tr:nth-child(2) button")!.getAttribute("aria-pressed")).toBe("true");
  expect(text("aside")).toContain("not why it answered");
  const shaded = [...document.querySelectorAll<HTMLElement>("tr:nth-child(2) .text span")];
  expect(shaded.map((one) => one.textContent).join("")).toBe("3rd of May 1999⏎");
  expect(new Set(shaded.map((one) => one.style.background)).size).toBeGreaterThan(3);
  expect(document.body.textContent).not.toContain("Training has ended");
  tell!([{ event: "ended" }], true);
  flushSync();
  expect(document.body.textContent).toContain("Training has ended; fovea serve RUN lets you ask it.");
});

test("self-attention is offered for models that have it, with what its own map tells", async () => {
  const engine = new Fake(["self_attention"]);
  await show(engine, "#text=x");
  expect(engine.asked[0]!.self_attention).toBe(true);
  expect(document.querySelector("#tab-self")).toBeNull();
  await unmount(mounted!);
  const weights = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]];
  engine.explain = (request) => (engine.asked.push(request), Promise.resolve(read_explanation({ ...(dates as object), self_maps: [{ part: "encoder", layer: 0, head: 0, weights }] })));
  const session = await show(engine, "#text=x");
  session.ask();
  expect(engine.asked.at(-1)!.self_attention).toBeUndefined();
  document.querySelector<HTMLElement>("#tab-self")!.click();
  await settled();
  expect(engine.asked.at(-1)!.self_attention).toBe(true);
  expect(text(".reading")).toContain("1.00 bits a step");
});

test("scores tell their greatest and least, and the sum its positions", async () => {
  await show(new Fake(), "#text=x&step=9");
  expect(text(".panel .told")).toMatch(/^greatest .* at \d+, least .* at \d+/);
  expect(text(".sum")).toContain("v(3 at 0)");
});

test("a long text has a relative scale, which is said, and Ribbons point to Text", async () => {
  const engine = new Fake();
  const session = await show(engine, "#text=x");
  expect(text(".legend")).toContain("100 %");
  const tokens = Array.from("x".repeat(80), (text, start) => ({ text, start, end: start + 1 }));
  const weights = tokens.map(() => 1 / 80);
  const long = { ...(dates as object), source: { text: "x".repeat(80), tokens }, steps: [{ token: "x", probability: 1, alternatives: [], looks: [{ scores: weights, weights, context_norm: 1 }] }] };
  engine.explain = () => Promise.resolve(read_explanation(long));
  session.ask();
  await settled();
  expect(text(".legend")).toContain("the greatest of each row");
  session.choose_view("ribbons");
  flushSync();
  [...document.querySelectorAll<HTMLElement>("#picture button")].find((one) => one.textContent === "Text")!.click();
  expect(session.view).toBe("text");
});

test("an empty page offers lines of the model's run", async () => {
  const engine = new Fake([], [{ ...model, run: true }]);
  engine.watch = (_, heard) => {
    heard([{ event: "validation", update: 1, samples: [{ source: "3 May", target: "x", answer: "y" }] }], false);
    return () => undefined;
  };
  await show(engine, "");
  document.querySelector<HTMLElement>("#examples button")!.click();
  await settled();
  expect(engine.asked.at(-1)).toMatchObject({ text: "3 May" });
  expect(text("#answer")).toBe("1999-05-03");
});

test("the worst lines are opened by a click", async () => {
  const engine = new Fake([], [{ ...model, run: true, columns: ["source", "source2"] }]);
  engine.watch = (_, heard) => {
    heard([{ event: "validation", update: 1, samples: [], worst: [{ source: "a", line: "a\tb", target: "x", answer: "y", edits: 2 }] }], false);
    return () => undefined;
  };
  const session = await show(engine, "#view=training");
  document.querySelector<HTMLElement>("#worst button")!.click();
  await settled();
  expect(session.view).toBe("map");
  expect(engine.asked.at(-1)).toMatchObject({ text: "a\tb" });
});

test("an answer does not outlive a question that failed, but what was forced can be undone", async () => {
  const engine = new Fake();
  const session = await show(engine, "#text=x");
  session.force(4, "7");
  const answers = engine.explain;
  engine.explain = () => Promise.reject(new Error("gone"));
  session.ask();
  await settled();
  expect(text("[role=alert]")).toBe("gone");
  expect(document.querySelector("#answer, [aria-roledescription='heat map']")).toBeNull();
  engine.explain = answers;
  document.querySelector<HTMLElement>("#forced button")!.click();
  await settled();
  expect(text("#answer")).toBe("1999-05-03");
});

test("a run that breaks off stays, and it is said until it goes on", async () => {
  const engine = new Fake([], []);
  let [tell, fail]: [Parameters<Engine["watch"]>[1] | undefined, Parameters<Engine["watch"]>[2] | undefined] = [undefined, undefined];
  engine.watch = (_, heard, failed) => ([tell, fail] = [heard, failed], () => undefined);
  await show(engine, "");
  fail!("refused");
  flushSync();
  expect(text("#picture")).not.toContain("Waiting");
  fail!("");
  tell!([{ event: "update", update: 10, epoch: 1 }], true);
  flushSync();
  expect(text("#run")).toContain("training now");
  fail!("gone");
  flushSync();
  expect(text("[role=alert]")).toBe("gone");
  expect(text("#run")).toContain("the run · update 10");
});

test("what went wrong is said", async () => {
  const engine = new Fake();
  engine.explain = () => Promise.reject(new Error("<b>too long</b>"));
  await show(engine, "#text=x");
  expect(text("[role=alert]")).toBe("<b>too long</b>");
});
