// Debian's Chromium, driven by playwright-core; nothing is downloaded.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export function open_browser() {
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium here: scripts/install_packages --page installs it");
  // Tests often run as root in a container, where Chromium has no sandbox to use.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
}
