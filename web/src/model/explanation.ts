// The explanation JSON (docs/explanation.md), read with care: what is missing or of another kind is an error with its
// place, and a number that is not finite is NaN.
export interface SourceToken {
  text: string;
  start: number;
  end: number;
  read: boolean;
  named?: boolean; // the text is a name and no part of the source's
  source?: number; // which of several it belongs to; none: the first
  sentence?: number; // of a document
  box?: [number, number, number, number]; // of a picture: left, top, right, bottom
}

export interface Alternative {
  token: string;
  probability: number;
}

export interface Look {
  scores: number[];
  weights: number[];
  context_norm: number;
  query?: number[];
  context?: number[];
}

export interface Step {
  token: string;
  probability: number;
  alternatives: Alternative[];
  looks: Look[];
  copy_gate?: number;
  saliency?: number[];
}

export interface MapName {
  layer: number;
  head: number;
  source: string;
  pointing?: boolean; // the generator's, which chooses by it: of no layer or head
}

export interface Hypothesis {
  text: string;
  score: number;
  finished: boolean;
}

export interface SelfMap {
  part: string;
  layer: number;
  head: number;
  weights: number[][];
}

export interface TreeNode {
  id: number;
  parent: number; // -1: the root
  step: number;
  token: string;
  probability: number;
  score: number;
  kept: boolean;
}

// What was seen or heard.
export interface Media {
  type: "image/png" | "audio/wav";
  width: number; // pixels, or milliseconds
  height: number;
  source: number;
  address: string; // with all of it inside
}

export interface NamedSource {
  name: string;
  text: string;
  tokens: SourceToken[];
}

export interface Explanation {
  text: string;
  score: number;
  finished: boolean;
  abstained: boolean;
  sources: NamedSource[]; // the first is the one that `source` tells of
  features: string;
  maps: MapName[];
  steps: Step[];
  nbest: Hypothesis[];
  self_maps: SelfMap[];
  tree: TreeNode[];
  media: Media[];
  raw: unknown; // as it came, for export
}

type Fields = Record<string, unknown>;

class Place {
  constructor(
    readonly value: unknown,
    readonly path: string,
  ) {}

  private wrong(wanted: string): Error {
    return new Error(`explanation: ${this.path || "the document"} is not ${wanted}`);
  }
  private get fields(): Fields {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) throw this.wrong("an object");
    return this.value as Fields;
  }
  has(name: string): boolean {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }
  field(name: string): Place {
    if (!Object.hasOwn(this.fields, name)) throw new Error(`explanation: ${this.path ? this.path + "." : ""}${name} is missing`);
    return new Place(this.fields[name], this.path ? `${this.path}.${name}` : name);
  }
  list<T>(read: (item: Place) => T): T[] {
    if (!Array.isArray(this.value)) throw this.wrong("a list");
    return this.value.map((item: unknown, i) => read(new Place(item, `${this.path}[${i}]`)));
  }
  get text(): string {
    if (typeof this.value !== "string") throw this.wrong("a text");
    return this.value;
  }
  get number(): number {
    if (this.value === null) return NaN;
    if (typeof this.value !== "number") throw this.wrong("a number");
    return this.value;
  }
  get truth(): boolean {
    if (typeof this.value !== "boolean") throw this.wrong("true or false");
    return this.value;
  }
  get numbers(): number[] {
    return this.list((item) => item.number);
  }
}

function read_token(token: Place): SourceToken {
  const result: SourceToken = {
    text: token.field("text").text,
    start: token.field("start").number,
    end: token.field("end").number,
    read: !token.has("read") || token.field("read").truth,
  };
  if (token.has("named")) result.named = token.field("named").truth;
  if (token.has("source")) result.source = token.field("source").number;
  if (token.has("sentence")) result.sentence = token.field("sentence").number;
  if (token.has("box")) {
    const [left, top, right, bottom] = token.field("box").numbers;
    result.box = [left ?? 0, top ?? 0, right ?? 0, bottom ?? 0];
  }
  return result;
}

function read_look(look: Place): Look {
  const result: Look = {
    scores: look.field("scores").numbers,
    weights: look.field("weights").numbers,
    context_norm: look.field("context_norm").number,
  };
  if (look.has("query")) result.query = look.field("query").numbers;
  if (look.has("context")) result.context = look.field("context").numbers;
  return result;
}

function read_step(step: Place): Step {
  const result: Step = {
    token: step.field("token").text,
    probability: step.field("probability").number,
    alternatives: step.field("alternatives").list((other) => ({
      token: other.field("token").text,
      probability: other.field("probability").number,
    })),
    looks: step.field("looks").list(read_look),
  };
  if (step.has("copy_gate")) result.copy_gate = step.field("copy_gate").number;
  if (step.has("saliency")) result.saliency = step.field("saliency").numbers;
  return result;
}

const read_source = (source: Place, name: string): NamedSource => ({
  name,
  text: source.field("text").text,
  tokens: source.field("tokens").list(read_token),
});

function read_tree(root: Place): TreeNode[] {
  if (!root.has("tree")) return [];
  return root.field("tree").field("nodes").list((node) => ({
    id: node.field("id").number,
    parent: node.has("parent") ? node.field("parent").number : -1,
    step: node.field("step").number,
    token: node.field("token").text,
    probability: node.field("probability").number,
    score: node.field("score").number,
    kept: node.field("kept").truth,
  }));
}

// Of these two kinds alone, and nothing but what such a file can be in base64.
function read_media(root: Place): Media[] {
  if (!root.has("media")) return [];
  return root.field("media").list((one) => {
    const type = one.field("type").text;
    const data = one.field("data").text;
    if ((type !== "image/png" && type !== "audio/wav") || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return [];
    const [width, height] = [one.field("width").number, one.has("height") ? one.field("height").number : 0];
    return [{ type, width, height, source: one.has("source") ? one.field("source").number : 0, address: `data:${type};base64,${data}` } as Media];
  }).flat();
}

export function read_explanation(json: unknown): Explanation {
  const root = new Place(json, "");
  const schema = root.field("schema").text;
  if (schema !== "fovea.explanation/1") {
    throw new Error(`explanation: the schema is "${schema}", this page reads "fovea.explanation/1"`);
  }
  const sources = [read_source(root.field("source"), "source")];
  if (root.has("sources")) {
    root.field("sources").list((source) => {
      const name = source.has("name") ? source.field("name").text : `source${sources.length + 1}`;
      if (name !== "source") sources.push(read_source(source, name));
    });
  }
  return {
    text: root.field("text").text,
    score: root.field("score").number,
    finished: !root.has("finished") || root.field("finished").truth,
    abstained: root.has("abstained") && root.field("abstained").truth,
    sources,
    features: root.field("source").has("features") ? root.field("source").field("features").text : "",
    maps: root.field("maps").list((map) => ({
      layer: map.field("layer").number,
      head: map.field("head").number,
      source: map.field("source").text,
      ...(map.has("part") && map.field("part").text === "generator" ? { pointing: true } : {}),
    })),
    steps: root.field("steps").list(read_step),
    nbest: root.field("nbest").list((hypothesis) => ({
      text: hypothesis.field("text").text,
      score: hypothesis.field("score").number,
      finished: !hypothesis.has("finished") || hypothesis.field("finished").truth,
    })),
    self_maps: !root.has("self_maps")
      ? []
      : root.field("self_maps").list((map) => ({
          part: map.field("part").text,
          layer: map.field("layer").number,
          head: map.field("head").number,
          weights: map.field("weights").list((row) => row.numbers),
        })),
    tree: read_tree(root),
    media: read_media(root),
    raw: json,
  };
}
