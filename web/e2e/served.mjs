// A small date model, and `fovea serve` with it behind the page.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export const fovea = process.env.FOVEA ?? new URL("../../build/fovea", import.meta.url).pathname;
export const can_serve = spawnSync(fovea, ["serve", "--help"]).status === 0;

export function run(...words) {
  return execFileSync(fovea, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

// With BUILT_PAGE=1 what was built last is tried, rather than the page in a binary that was built before it.
export async function show_built_page(page) {
  if (!process.env.BUILT_PAGE) return;
  const body = gunzipSync(readFileSync(new URL("../dist/index.html.gz", import.meta.url)));
  await page.route(/:\d+\/$/, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }));
}

// Two models, of a few updates each: what they look at matters here, not what they have learned.
export function train(updates = 40) {
  const folder = mkdtempSync(join(tmpdir(), "fovea-page-"));
  const data = join(folder, "dates.tsv");
  writeFileSync(data, run("make", "dates", "--count", "1000", "--seed", "1"));
  const sizes = ["--set", "encoder.size=32", "--set", "decoder.size=32", "--set", "training.validate_every=20u"];
  run("train", data, "-o", join(folder, "dates"), ...sizes, "--stop-after", `${updates}u`);
  run("train", data, "-o", join(folder, "heads"), ...sizes, "--set", "attention.heads=2", "--stop-after", `${updates / 2}u`);
  return { folder, data, dates: join(folder, "dates"), heads: join(folder, "heads"), remove: () => rmSync(folder, { recursive: true }) };
}

// A tone of a height of its own, as a WAV file.
function tone(hertz) {
  const [rate, samples] = [8000, 3200];
  const wav = Buffer.alloc(44 + 2 * samples);
  wav.write("RIFF", 0), wav.writeUInt32LE(36 + 2 * samples, 4), wav.write("WAVEfmt ", 8), wav.writeUInt32LE(16, 16), wav.writeUInt16LE(1, 20), wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24), wav.writeUInt32LE(2 * rate, 28), wav.writeUInt16LE(2, 32), wav.writeUInt16LE(16, 34), wav.write("data", 36), wav.writeUInt32LE(2 * samples, 40);
  for (let i = 0; i < samples; ++i) wav.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * hertz * (1 + i / samples) * i) / rate)), 44 + 2 * i);
  return wav;
}

// A model whose lines name files, of a few updates, beside a secret that no line may name.
export function train_files(parent, kind) {
  const folder = join(parent, kind);
  mkdirSync(folder);
  writeFileSync(join(parent, "secret.png"), "secret");
  const data = join(folder, "data.tsv");
  if (kind === "pictures") writeFileSync(data, run("make", "scenes", "--count", "60", "--seed", "1", "--pictures", join(folder, "drawn")).replaceAll(`${folder}/`, ""));
  else {
    const lines = Array.from({ length: 40 }, (_, i) => (writeFileSync(join(folder, `${i}.wav`), tone(200 + 20 * i)), `${i}.wav\t${i < 20 ? "low" : "high"}`));
    writeFileSync(data, lines.join("\n") + "\n");
  }
  const model = join(parent, `${kind}-model`);
  run("train", data, "-o", model, "--set", `source.kind=${kind === "pictures" ? "image" : "audio"}`, "--set", "encoder.size=16", "--set", "decoder.size=16", "--stop-after", "5u");
  return { model, folder, first: readFileSync(data, "utf8").split("\t")[0] };
}

export function free_port() {
  const server = createServer();
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  }));
}

// Resolves with the address it says that it serves on.
export function serve(...words) {
  const child = spawn(fovea, words, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (part) => {
      said += part;
      const address = /(http:\/\/[^\s/]+)/.exec(said)?.[1];
      if (address) resolve({ address: `${address}/`, close: () => child.kill("SIGTERM"), ended });
    });
    void ended.then((code) => reject(new Error(`fovea ${words[0]} ended with ${code}: ${said.slice(0, 500)}`)));
  });
}
