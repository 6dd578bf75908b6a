// Colours of weights. The dark scale is viridis (Smith and van der Walt 2015, CC0), as in the command line's pictures; on
// paper a scale from light to dark is easier to read: more weight, more ink.
export type Colour = readonly [number, number, number];

const of_hex = (text: string): Colour => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16)) as unknown as Colour;
const stops = (text: string): readonly Colour[] => text.split(" ").map(of_hex);

const viridis = stops("440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725");
const ink = stops("f4f6f8 dcecea b5dcd6 84c6c5 4fa9b4 2f86a3 28628d 293f70 1d1f45");
const below = stops("8a2d0b c8622c f0b58e f4f6f8 9cc5df 3d7fb5 123e6b");

function between(scale: readonly Colour[], share: number): Colour {
  if (Number.isNaN(share)) return [0x80, 0x80, 0x80];
  const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const i = Math.min(Math.floor(at), scale.length - 2);
  const mix = (c: number): number => Math.round(scale[i]![c]! + (at - i) * (scale[i + 1]![c]! - scale[i]![c]!));
  return [mix(0), mix(1), mix(2)];
}

export const viridis_of = (weight: number): Colour => between(viridis, weight);
export const colour_of = (weight: number, dark: boolean): Colour => between(dark ? viridis : ink, weight);
// For differences and for parts of vectors: -1 to 1.
export const signed_colour = (value: number): Colour => between(below, (value + 1) / 2);

export const ink_on = ([red, green, blue]: Colour): string =>
  299 * red + 587 * green + 114 * blue > 128000 ? "#000000" : "#ffffff";
export const hex = (colour: Colour): string => "#" + colour.map((part) => part.toString(16).padStart(2, "0")).join("");
