import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // Names of classes follow from the style alone, so that the same sources give the same page in any folder.
    cssHash: ({ hash, css }) => `s-${hash(css)}`,
  },
};
