// A server that stands in for `fovea serve` where tests need what no trained model gives at will: hostile symbols in the
// answer, large maps, every optional part of an explanation. It answers with the text itself, word by word or letter by letter.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

const mechanism = (name, formula, paper = "") => ({ name, formula, paper });
const attention = {
  score: mechanism("additive", "v' tanh(W q + U k + b)", "Bahdanau 2015"),
  bias: [],
  select: mechanism("softmax", "exp(e_i) / sum_j exp(e_j)"),
  read: mechanism("sum", "sum_i a_i v_i"),
  heads: 1,
};
const model = (name, more = {}) => ({
  name, path: `runs/${name}`, task: "transduce", weights: 1234, columns: ["source", "target"], reads: "source", max_length: 5000,
  sources: [{ name: "source", kind: "text", tokenizer: name === "words" ? "word" : "char", symbols: 9 }],
  target: { tokenizer: name === "words" ? "word" : "char", symbols: 9 }, attention, run: name === "letters", ...more,
});
const of_files = (name, kind) => model(name, { sources: [{ name: "source", kind, files: true, width: 9 }] });
export const models = [model("letters"), model("words"), model("heads"), model("blind", { attention: null }), of_files("pictures", "image"), of_files("sounds", "audio")];

// A grey pixel, and silence: what files hold is for the real server's tests.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const silence = (() => {
  const wav = Buffer.alloc(44 + 16000);
  wav.write("RIFF", 0), wav.writeUInt32LE(36 + 16000, 4), wav.write("WAVEfmt ", 8), wav.writeUInt32LE(16, 16), wav.writeUInt16LE(1, 20), wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8000, 24), wav.writeUInt32LE(16000, 28), wav.writeUInt16LE(2, 32), wav.writeUInt16LE(16, 34), wav.write("data", 36), wav.writeUInt32LE(16000, 40);
  return wav.toString("base64");
})();

// What is read of a file: regions of a picture, three columns of two; ten parts of a second.
function read_file(kind) {
  const parts = Array.from({ length: kind === "pictures" ? 6 : 10 }, (_, i) =>
    kind === "pictures"
      ? { text: `${(i % 2) + 1},${(i >> 1) + 1}`, start: i, end: i + 1, box: [(i >> 1) * 20, (i % 2) * 20, ((i >> 1) + 1) * 20, ((i % 2) + 1) * 20] }
      : { text: (i / 10).toFixed(2), start: i * 100, end: i * 100 + 100 });
  const end = parts.at(-1).end;
  return [...parts, { text: "</s>", start: end, end }];
}
const media_of = { pictures: [{ type: "image/png", width: 60, height: 40, data: pixel }], sounds: [{ type: "image/png", width: 980, height: 40, data: pixel }, { type: "audio/wav", width: 1000, data: silence }] };

function softmax(scores) {
  const most = Math.max(...scores);
  const sizes = scores.map((score) => Math.exp(score - most));
  const sum = sizes.reduce((a, b) => a + b, 0);
  return sizes.map((size) => size / sum);
}
const wave = (seed, length) => Array.from({ length }, (_, i) => Math.sin(seed * 1.7 + i * 0.61) * Math.cos(seed + i));

function cut(text, words) {
  const parts = words ? [...text.matchAll(/\S+/g)].map((match) => [match[0], Array.from(text.slice(0, match.index)).length]) : Array.from(text).map((c, i) => [c, i]);
  const tokens = parts.map(([token, start]) => ({ text: token, start, end: start + Array.from(token).length }));
  const end = Array.from(text).length;
  return [...tokens, { text: "</s>", start: end, end }];
}

export function explain(request) {
  const words = request.model === "words";
  const tokens = media_of[request.model] ? read_file(request.model) : cut(request.text, words);
  const heads = request.model === "blind" ? 0 : request.model === "heads" ? 4 : 1;
  const own = cut(request.text, words).map((token) => token.text);
  const forced = request.prefix ? cut(request.prefix, words).slice(0, -1).map((token) => token.text) : request.target ? cut(request.target, words).map((token) => token.text) : [];
  const out = request.target ? forced : [...forced, ...own.slice(forced.length)];
  const edits = new Map((request.edits ?? []).map((edit) => [`${edit.step}.${edit.map}`, edit.weights]));
  const steps = out.map((token, i) => {
    const looks = Array.from({ length: heads }, (_, head) => {
      const scores = tokens.map((_, j) => 3.2 - Math.abs(i - j) * (0.9 + head * 0.4) + 0.5 * Math.sin(i * 3 + j * 5 + head));
      const weights = edits.get(`${i}.${head}`) ?? softmax(scores);
      const look = { scores, weights, context_norm: 2.5 };
      return request.detail ? { ...look, query: wave(i + head, 32), context: wave(i * 2 + head, 32) } : look;
    });
    const read = looks[0]?.weights ?? [];
    const at = read.indexOf(Math.max(...read));
    const written = edits.has(`${i}.0`) ? (tokens[at]?.text ?? token) : token;
    const other = own[(i + 1) % own.length];
    const step = { token: written, probability: 0.9, alternatives: [{ token: written, probability: 0.9 }, { token: other === written ? "<unk>" : other, probability: 0.07 }, { token: "</s>", probability: 0.01 }], looks };
    if (request.saliency) step.saliency = tokens.map((_, j) => Math.exp(-Math.abs(i - j)) * (j % 2 ? -1 : 1));
    if (request.model === "heads") step.copy_gate = 0.25;
    return step;
  });
  const text = steps.map((step) => step.token).filter((token) => token !== "</s>").join(words ? " " : "");
  const square = (n) => Array.from({ length: n }, (_, i) => softmax(Array.from({ length: n }, (_, j) => -Math.abs(i - j))));
  const answer = {
    schema: "fovea.explanation/1", source: { text: request.text, tokens }, text, score: -0.05, finished: true,
    maps: Array.from({ length: heads }, (_, head) => ({ layer: head >> 1, head: head & 1, source: "source" })),
    steps, nbest: [{ text, score: -0.05, finished: true }], status: "answered",
  };
  if (request.self_attention) answer.self_maps = [{ part: "encoder", layer: 0, head: 0, weights: square(tokens.length) }, { part: "decoder", layer: 0, head: 0, weights: square(steps.length) }];
  if (request.media) answer.media = media_of[request.model] ?? [];
  if (request.tree) answer.tree = { nodes: grow(own, request.beam ?? 1) };
  return answer;
}

// Any picture: what the real one draws is for the tests with it.
const drawing = ({ text, layer = "", head = "" }) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><text y="20">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")} ${layer} ${head}</text></svg>\n`;

function grow(tokens, beam) {
  const nodes = [];
  let parent = null;
  tokens.slice(0, 40).forEach((token, step) => {
    for (let i = 0; i < beam; ++i) nodes.push({ id: nodes.length, parent, step, token: i === 0 ? token : tokens[(step + i) % tokens.length], probability: 0.8 / (i + 1) ** 2, score: -0.1 * i, kept: i < 2 });
    parent = nodes.length - beam;
  });
  return nodes;
}

export function run() {
  const events = [];
  for (let update = 10; update <= 400; update += 10)
    events.push({ event: "update", update, epoch: update / 100, seconds: update / 10, training_loss: 3 * Math.exp(-update / 100), learning_rate: 0.002, gradient_norm: 1 + Math.exp(-update / 50), tokens_per_second: 40000 });
  for (let update = 50; update <= 400; update += 50) {
    const share = update / 400;
    const explanation = explain({ model: "letters", text: "3 May" });
    for (const step of explanation.steps) step.looks[0].weights = softmax(step.looks[0].scores.map((score) => score * share));
    events.push({ event: "validation", update, epoch: update / 100, seconds: update / 10, held_out_loss: 3 * Math.exp(-update / 90) + 0.1, exact: share ** 2, cer: 1 - share, metric: "exact", best: true, samples: [{ source: "3 May", target: "3 May", answer: share > 0.5 ? "3 May" : "3 M", explanation }, { source: "<b>x</b>", target: "</script>", answer: "<img>" }], worst: [{ source: "4 Jun…", line: "4 June", target: "4", answer: "6", edits: 7 }, { source: "<i>y</i>", target: "a", answer: "b", edits: 1 }] });
    const letters = Array.from("abcdefghijklmnopqrstuvwxyzABCDE0123456789 -,");
    events.push({ event: "film", update, embeddings: { tokens: letters, points: letters.map((_, i) => [Math.cos(i) * (0.2 + share * (i % 5)), Math.sin(i * 1.3) * (0.2 + share * (i % 3))]) } });
  }
  return { name: "letters", live: false, events };
}

const keys = ["model", "text", "beam", "prefix", "target", "edits", "words", "detail", "saliency", "self_attention", "tree", "media", "svg", "layer", "head"];
const described = { components: { schemas: { ExplainRequest: { properties: Object.fromEntries(keys.map((key) => [key, {}])) } } } };

// page: a file, packed or not. Resolves with the address; `close` ends it.
export function stand_in(page, { delay = () => 0, live = false } = {}) {
  const bytes = readFileSync(page);
  const html = page.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  const server = createServer((request, response) => {
    const json = (value, status = 200) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    const path = new URL(request.url, "http://x").pathname;
    if (path === "/") return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(html);
    if (path === "/v1/models") return json({ models: live ? [] : models, files: true });
    if (path === "/openapi.json") return json(described);
    if (path === "/v1/run") return json({ ...run(), live });
    if (path === "/v1/events") return json({ error: { code: 503, message: "too many watch already" } }, 503);
    if (path !== "/v1/explain") return json({ error: { code: 404, message: "no such path" } }, 404);
    let body = "";
    request.setEncoding("utf8").on("data", (part) => (body += part)).on("end", () => {
      const asked = JSON.parse(body);
      const unknown = Object.keys(asked).find((key) => !keys.includes(key));
      if (unknown) return json({ error: { code: 400, message: `unknown key ${unknown}` } }, 400);
      const answer = { model: asked.model, explanations: [asked.svg ? { svg: drawing(asked), status: "answered" } : explain(asked)] };
      setTimeout(() => json(answer), delay(asked));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ address: `http://127.0.0.1:${server.address().port}/`, close: () => (server.close(), server.closeAllConnections()) }));
  });
}
