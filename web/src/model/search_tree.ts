// The tree of search laid out in rows: the best answer is one straight row at the top, and what it was chosen from stands below.
import { type HierarchyNode, stratify } from "d3-hierarchy";
import type { TreeNode } from "./explanation.ts";
import { is_stop_text } from "./label.ts";

export interface Placed {
  root: HierarchyNode<TreeNode>;
  best: Set<HierarchyNode<TreeNode>>;
  rows: Map<HierarchyNode<TreeNode>, number>;
}

export function place_tree(nodes: readonly TreeNode[]): Placed {
  const ids = new Set(nodes.map((node) => node.id));
  // The root is not always among the nodes; what has no parent here hangs on one that is drawn as the start.
  const start: TreeNode = { id: -1, parent: -2, step: -1, token: "<s>", probability: 1, score: 0, kept: true };
  const root = stratify<TreeNode>().id((node) => String(node.id)).parentId((node) => (node.id === -1 ? null : String(ids.has(node.parent) ? node.parent : -1)))([start, ...nodes]);
  const ended = root.descendants().filter((node) => is_stop_text(node.data.token) && node.data.kept);
  const best = new Set(ended.sort((a, b) => b.data.score - a.data.score)[0]?.ancestors() ?? []);
  root.sort((a, b) => Number(best.has(b)) - Number(best.has(a)) || b.height - a.height || b.data.score - a.data.score);

  // Step by step each row is the next free one. Children stand in the order of their parents, so that no line crosses another.
  const rows = new Map<HierarchyNode<TreeNode>, number>();
  const free: number[] = [];
  root.each((node) => {
    const row = free[node.depth] ?? 0;
    rows.set(node, row);
    free[node.depth] = row + 1;
  });
  return { root, best, rows };
}
