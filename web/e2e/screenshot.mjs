// usage: node screenshot.mjs MODEL OUT.png
import { statSync } from "node:fs";
import { open_browser } from "./browser.mjs";
import { serve, show_built_page } from "./served.mjs";

const [model, out] = process.argv.slice(2);
const server = await serve("serve", model, "--port", "0");
const browser = await open_browser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme: "light" });
  await show_built_page(page);
  await page.goto(`${server.address}#${new URLSearchParams({ text: "3rd of May 1999", step: "6" })}`);
  await page.waitForSelector("#answer");
  await page.waitForTimeout(500);
  await page.screenshot({ path: out });
  if (statSync(out).size > 200000) throw new Error(`${out} has ${statSync(out).size} bytes; 200000 is the limit`);
} finally {
  await browser.close();
  server.close();
}
