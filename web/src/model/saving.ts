// What is shown, saved as a file: SVG as the command line draws it, PNG of the same, the JSON as it came, and the page
// itself with the answer and that picture inside.
import { recording_id, type Recording } from "../engine/recorded.ts";
import type { Session } from "../session.svelte.ts";

export function file_name(text: string, ending: string): string {
  const plain = text.normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 40);
  return `${plain || "fovea"}.${ending}`;
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function answer(session: Session) {
  if (!session.explanation) throw new Error("There is no answer to save yet.");
  return session.explanation;
}

export async function save_svg(session: Session): Promise<void> {
  const { text } = answer(session);
  save(new Blob([await session.picture()], { type: "image/svg+xml" }), file_name(text, "svg"));
}

export async function save_png(session: Session): Promise<void> {
  const { text } = answer(session);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await session.picture())}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const twice = Math.min(2, 16000 / Math.max(image.width, image.height));
  canvas.width = image.width * twice;
  canvas.height = image.height * twice;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const content = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!content) throw new Error("The picture is too large for a PNG; SVG has no such limit.");
  save(content, file_name(text, "png"));
}

export function save_json(session: Session): void {
  save(new Blob([JSON.stringify(answer(session).raw) + "\n"], { type: "application/json" }), file_name(answer(session).text, "json"));
}

// No "<" may stand in it: the parser would see the end of the element in "</script".
export const inside_script = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

export function stand_alone(document: Document, recording: Recording): string {
  const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content") ?? "";
  const style = document.getElementById("style")?.textContent ?? "";
  const script = document.getElementById("script")?.textContent ?? "";
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll('"', "&quot;")}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />\n<title>Fovea</title>',
    `<style id="style">${style}</style>\n</head>\n<body>\n<div id="page"></div>`,
    `<script type="application/json" id="${recording_id}">${inside_script(recording)}</script>`,
    `<script type="module" id="script">${script}</script>\n</body>\n</html>\n`,
  ].join("\n");
}

export async function save_html(session: Session): Promise<void> {
  if (!session.info) throw new Error("There is no model.");
  const { raw, text } = answer(session);
  const { info, request, drawn } = session;
  const recording = { model: { ...info, run: false }, request, explanation: raw, drawn, svg: await session.picture() };
  save(new Blob([stand_alone(document, recording)], { type: "text/html" }), file_name(text, "html"));
}
