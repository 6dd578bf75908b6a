// The page with the real server and a real model: what it shows is what the command line says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { open_browser } from "./browser.mjs";
import { can_serve, fovea, free_port, run, serve, show_built_page, train, train_files } from "./served.mjs";

const skip = can_serve ? false : "this build/fovea cannot serve";
let browser, server, models, page, troubles;

before(async () => {
  if (skip) return;
  models = train();
  server = await serve("serve", models.dates, models.heads, "--port", "0");
  browser = await open_browser();
});
after(async () => {
  await browser?.close();
  server?.close();
  models?.remove();
});
beforeEach(async () => {
  if (skip) return;
  troubles = [];
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })).newPage();
  page.setDefaultTimeout(15000);
  await show_built_page(page);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => /^https?:/.test(request.url()) && !request.url().startsWith(server.address) && troubles.push(`asked for ${request.url()}`));
});
afterEach(async () => {
  if (skip) return;
  await page.context().close();
  assert.deepEqual(troubles, []);
});

const line = "3rd of May 1999";
async function saved(name) {
  await page.click("summary >> text=Export");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`.items button >> text="${name}"`)]);
  return readFileSync(await download.path(), "utf8");
}
function near(a, b, path = "") {
  if (typeof a === "number" && typeof b === "number") assert.ok(Math.abs(a - b) <= 1e-6, `${path}: ${a} and ${b}`);
  else if (a && b && typeof a === "object") {
    for (const key of Object.keys(b)) near(a[key], b[key], `${path}.${key}`);
  } else assert.equal(a, b, path);
}
function predicted(model, text, ...words) {
  const file = join(models.folder, "line.txt");
  writeFileSync(file, text + "\n");
  return JSON.parse(run("predict", model, file, "--json", ...words));
}

test("what is typed is answered as by fovea predict, weight by weight", { skip }, async () => {
  await page.goto(server.address);
  await page.locator("textarea").pressSequentially(line, { delay: 15 });
  const wanted = predicted(models.dates, line);
  await page.waitForFunction(({ text, steps }) => document.querySelector("#answer")?.textContent === text && document.querySelectorAll("[role=option]").length === steps, { text: wanted.text, steps: wanted.steps.length });
  const shown = JSON.parse(await saved("JSON"));
  assert.equal(shown.steps.length, wanted.steps.length);
  near(shown.steps, wanted.steps);
  assert.equal(shown.text, wanted.text);
  // And the table that a reader of the screen gets has the same weights.
  await page.click("summary >> text=as a table");
  const cells = await page.$$eval("table tbody tr", (rows) => rows.slice(0, -1).map((row) => [...row.querySelectorAll("td")].slice(0, -1).map((cell) => Number(cell.textContent))));
  cells.forEach((row, i) => row.forEach((weight, j) => assert.ok(Math.abs(weight - wanted.steps[i].looks[0].weights[j]) <= 0.00051)));
});

// A short line, one too long for cells, hostile ones; the mean of heads, and each of them; with what else is shown.
const long = `${line}, which was a Monday if I am not mistaken, and `.repeat(4);
const pictures = [
  ["dates", line, {}, []],
  ["dates", long, {}, []],
  ["dates", "Samstag, 4. März 1976 <&>", {}, []],
  ["heads", "1/2/34", {}, []],
  ["heads", "1/2/34", { choice: "mean", beam: "3" }, ["--beam", "3"]],
  ["heads", "1/2/34", { choice: "1" }, ["--layer", "0", "--head", "1"]],
  ["heads", long, { choice: "0" }, ["--layer", "0", "--head", "0"]],
  ["dates", line, { prefix: "20" }, ["--prefix", "20"]],
  ["dates", line, { target: "1999-Ж" }, ["--target", "1999-Ж"]],
  ["dates", line, { view: "gradient" }, ["--saliency"]],
];
test("the picture that is saved is the one that fovea show draws, byte for byte", { skip }, async () => {
  for (const [name, text, state, words] of pictures) {
    await page.goto("about:blank");
    await page.goto(`${server.address}#${new URLSearchParams({ text, model: name, ...state })}`);
    await page.waitForSelector("#answer");
    const file = join(models.folder, "map.svg");
    run("show", models[name], text, "--svg", file, ...words);
    assert.equal(await saved("SVG"), readFileSync(file, "utf8"), `${name}, ${words.join(" ")}: ${text}`);
  }
});

test("the command line that is copied shows what the page does", { skip }, async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [name, text, state] of pictures) {
    await page.goto("about:blank");
    await page.goto(`${server.address}#${new URLSearchParams({ text: `${text} it's "$HOME"`, model: name, ...state })}`);
    await page.waitForSelector("#answer");
    await page.click("summary >> text=Export");
    await page.click('.items button >> text="copy command line"');
    await page.waitForSelector("[role=status] >> text=command copied");
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^fovea show /);
    const file = join(models.folder, "copied.svg");
    execFileSync("bash", ["-c", `${fovea} ${command.slice(6)} --svg ${file}`], { cwd: "/", stdio: "pipe" });
    assert.equal(await saved("SVG"), readFileSync(file, "utf8"), command);
  }
});

test("another output is forced, and the server writes on from there", { skip }, async () => {
  await page.goto(`${server.address}#${new URLSearchParams({ text: line, step: "1" })}`);
  await page.waitForSelector("#answer");
  const own = predicted(models.dates, line);
  const other = own.steps[1].alternatives.findIndex((one) => one.token !== own.steps[1].token && !one.token.startsWith("<"));
  await page.click(`ul.best li:nth-child(${other + 1}) button`);
  await page.waitForSelector("#forced");
  const prefix = own.steps[0].token + own.steps[1].alternatives[other].token;
  await page.waitForFunction((text) => document.querySelector("#answer")?.textContent === text, predicted(models.dates, line, "--prefix", prefix).text);
});

test("hostile lines go to the model and back", { skip }, async () => {
  const { hostile } = await import("./hostile.mjs");
  await page.goto(server.address);
  for (const text of hostile.filter((_, i) => i % 4 === 0)) {
    await page.fill("textarea", text);
    await page.waitForFunction(() => document.querySelector("#answer, [role=alert]"));
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("the run of a model is shown", { skip }, async () => {
  await page.goto(`${server.address}#view=training`);
  await page.waitForSelector("#run >> text=update 40");
  await page.waitForSelector('figcaption >> text="loss"');
});

test("two models answer side by side", { skip }, async () => {
  await page.goto(`${server.address}#${new URLSearchParams({ text: line, other: "heads", view: "compare" })}`);
  await page.waitForFunction(() => document.querySelectorAll('[aria-roledescription="heat map"]').length >= 2);
  const heads = predicted(models.heads, line);
  assert.ok((await page.textContent("#picture")).includes(`heads: ${heads.text}`));
});

test("pictures and sounds of the folder that is open are shown as they are", { skip }, async () => {
  for (const [kind, name] of [["pictures", "Picture"], ["sounds", "Sound"]]) {
    const { model, folder, first } = train_files(models.folder, kind);
    const other = await serve("serve", model, "--files", folder, "--port", "0");
    try {
      await page.goto(`${other.address}#${new URLSearchParams({ text: first })}`);
      troubles = [];
      await page.waitForSelector("#answer");
      assert.equal(await page.textContent('[role=tab][aria-selected="true"]'), name);
      await page.waitForSelector(kind === "pictures" ? ".picture image" : "img.spectrogram");
      const file = join(models.folder, `${kind}.svg`);
      execFileSync(fovea, ["show", model, first, "--svg", file], { cwd: folder, stdio: "pipe" });
      assert.equal(await saved("SVG"), readFileSync(file, "utf8"), "drawn as by the command line");
      if (kind === "sounds") await page.waitForFunction(() => document.querySelector("audio").duration > 0.1);
      await page.fill("textarea", "../secret.png");
      await page.waitForSelector("[role=alert] >> text=names no file in the folder");
      assert.deepEqual(troubles.filter((one) => !one.startsWith("asked for")), []);
    } finally {
      await page.goto("about:blank");
      troubles = [];
      other.close();
      await other.ended;
    }
  }
});

test("training is watched as it happens", { skip }, async () => {
  const words = ["train", models.data, "-o", join(models.folder, "live"), "--set", "encoder.size=32", "--set", "decoder.size=32", "--set", "training.validate_every=10u", "--stop-after", "3000u", `--watch=${await free_port()}`];
  const training = await serve(...words);
  try {
    await page.goto(training.address);
    troubles = [];
    await page.waitForSelector("#run >> text=training now");
    const update = async () => Number(/update (\d+)/.exec(await page.textContent("#run"))[1]);
    const first = await update();
    await page.waitForFunction((before) => Number(/update (\d+)/.exec(document.querySelector("#run").textContent)[1]) > before, first);
    await page.waitForSelector("text=What it looked at, after");
    // The film grows without a reload, and the slider follows its end.
    const frames = () => page.$eval(".film input", (slider) => [Number(slider.max), slider.valueAsNumber]);
    await page.waitForSelector(".film");
    const [before] = await frames();
    await page.waitForFunction((count) => Number(document.querySelector(".film input").max) > count, before);
    const [last, at] = await frames();
    assert.equal(at, last);
  } finally {
    await page.goto("about:blank");
    troubles = [];
    training.close();
    await training.ended;
  }
});
