// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { read_explanation } from "../src/model/explanation.ts";
import { draw_svg, fixed } from "../src/model/svg.ts";

const data = (name: string): string => readFileSync(new URL(`data/${name}`, import.meta.url), "utf8");

// dates.svg is what `fovea show --svg` wrote for dates.json.
test("the picture is the command line's, byte for byte", () => {
  expect(draw_svg(read_explanation(JSON.parse(data("dates.json"))), 0)).toBe(data("dates.svg"));
});

test("a tie goes to the even digit", () => {
  expect(fixed(96.25, 1)).toBe("96.2");
  expect(fixed(96.75, 1)).toBe("96.8");
  expect(fixed(0.5, 0)).toBe("0");
  expect(fixed(2.675, 2)).toBe("2.67");
});
