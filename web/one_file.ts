// Turns what Vite made into one HTML file: script and style inside, and a policy that lets no other run or load.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function policy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${sha256(script)}`,
    `style-src ${sha256(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "media-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

export function one_file(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    apply: "build",
    generateBundle(_, bundle) {
      let script = "";
      let style = "";
      let html = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += part.source.toString();
        else if (name.endsWith(".html")) html = part.source.toString();
        delete bundle[name];
      }
      // Inside a script element only these two could end it or change how it is read.
      script = script.trim().replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
      style = style.trim();
      const head = html.replace(/<script[^>]*src=[^>]*><\/script>/g, "").replace(/<link[^>]*stylesheet[^>]*>/g, "");
      const page = head
        .replace(/[ \t]*\n\s*\n/g, "\n")
        .replace("%POLICY%", () => policy(script, style))
        .replace("</head>", () => `<style id="style">${style}</style>\n</head>`)
        .replace("</body>", () => `<script type="module" id="script">${script}</script>\n</body>`);
      this.emitFile({ type: "asset", fileName: "index.html", source: page });
      this.emitFile({ type: "asset", fileName: "index.html.gz", source: gzipSync(page, { level: 9 }) });
    },
  };
}
