import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { one_file } from "./one_file.ts";

const served = "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [svelte(), one_file()],
  build: { target: "es2022", modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 100000, chunkSizeWarningLimit: 1000 },
  // While the page is worked on: to `fovea serve`, which answers only what seems to come from its own page.
  server: { proxy: { "^/(v1|openapi.json)": { target: served, changeOrigin: true, headers: { origin: served } } } },
  // In tests components run as in a browser.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"] },
});
