// What the page is about: the model, the text, the answer and where in it one looks. Views read it and call it.
import type { Drawn, Edit, Engine, ModelInfo, Request } from "./engine/engine.ts";
import { type Address, type Scale, type View, plain, read_address, write_address } from "./model/address.ts";
import type { Explanation } from "./model/explanation.ts";
import { type HeatMap, type MapChoice, heat_map_of, mean_of, usual_choice } from "./model/heat_map.ts";
import { joined } from "./model/joining.ts";
import { is_stop_text } from "./model/label.ts";
import { Latest } from "./model/latest.ts";

const typing_pause = 60; // ms
const slow = 200; // ms after which it is said that an answer is awaited

export class Session {
  models = $state.raw<ModelInfo[]>([]);
  model = $state("");
  other = $state("");
  cells = $state<string[]>([""]); // what is read, by columns
  beam = $state(1);
  prefix = $state("");
  target = $state("");
  edits = $state.raw<Edit[]>([]);
  words = $state(false);

  explanation = $state.raw<Explanation | null>(null);
  before = $state.raw<Explanation | null>(null); // its own answer, before anything was forced
  compared = $state.raw<Explanation | null>(null);
  attends_itself = $state.raw<Record<string, boolean>>({}); // which models do, as their first answers told
  problem = $state("");
  opened = $state(false); // it is known which models there are
  awaited = $state(false);
  milliseconds = $state(NaN);

  view = $state<View>("map");
  wanted = $state<MapChoice | "">("");
  scale = $state<Scale>("fixed");
  step = $state(0);
  position = $state(-1); // -1: none
  keep = $state(plain.keep); // share of a step's weight that the ribbons draw
  large = $state(false); // cells of a long map
  whole = $state(false); // all steps together, in shaded text
  own = $state(0); // which of the maps of self-attention
  sample = $state(-1); // of a run; -1: the first with a map
  readonly validation = $state({ chosen: -1 }); // of a run, and of its film; -1: the last
  readonly frame = $state({ chosen: -1 });

  readonly info = $derived(this.models.find((one) => one.name === this.model));
  readonly text = $derived(this.cells.join("\t"));
  // What a model of pictures or sounds is asked about can be seen or heard. The model first: nothing tells when the engine
  // has learned what it knows.
  readonly has_media = $derived.by(() => (this.info?.sources.some((source) => source.files) ?? false) && this.engine.knows("media"));
  readonly first_view = $derived<View>(this.models.length === 0 ? "training" : this.has_media ? "media" : "map");
  readonly choice = $derived.by((): MapChoice => {
    const count = this.explanation?.maps.length ?? 0;
    if (this.wanted === "mean" || (typeof this.wanted === "number" && this.wanted < count)) return this.wanted;
    return this.explanation ? usual_choice(this.explanation) : 0;
  });
  // What is chosen, for a picture.
  readonly drawn = $derived.by((): Drawn => {
    if (this.choice === "mean") return {};
    const { layer, head, pointing } = this.explanation?.maps[this.choice] ?? {};
    return layer === undefined || head === undefined || pointing || this.explanation!.maps.length === 1 ? {} : { layer, head };
  });
  readonly map = $derived.by((): HeatMap | null =>
    this.explanation && this.explanation.maps.length > 0 ? heat_map_of(this.explanation, this.choice) : null,
  );
  readonly forced = $derived(this.prefix !== "" || this.target !== "" || this.edits.length > 0);

  readonly can_undo = $derived.by(() => this.forced && this.engine.knows("prefix")); // a recording has no other answer

  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly main: Latest<Request, { explanation: Explanation; milliseconds: number }>;
  private readonly second: Latest<Request, Explanation>;
  private plain_text = ""; // what `before` answers

  constructor(readonly engine: Engine) {
    this.main = new Latest(
      async (request, signal) => {
        const begun = performance.now();
        const explanation = await engine.explain(request, signal);
        return { explanation, milliseconds: performance.now() - begun };
      },
      (request, answer) => this.take(request, answer.explanation, answer.milliseconds),
      (_, error) => this.fail(error),
    );
    this.second = new Latest(
      (request, signal) => engine.explain(request, signal),
      (_, explanation) => (this.compared = explanation),
      () => (this.compared = null),
    );
  }

  async open(hash: string): Promise<void> {
    try {
      this.models = await this.engine.models();
    } catch (error) {
      this.fail(error);
      return;
    }
    this.opened = true;
    this.restore(hash);
  }

  private restore(hash: string): void {
    let address = read_address(hash);
    this.model = this.models.some((one) => one.name === address.model) ? address.model : (this.models[0]?.name ?? "");
    this.other = this.models.some((one) => one.name === address.other) ? address.other : "";
    address = read_address(hash, this.first_view);
    // Whoever was quicker than the server keeps what was typed.
    this.cells = this.fit(this.text !== "" ? this.cells : address.text.split("\t"));
    const { model: _, text: __, other: ___, choice, validation, frame, ...rest } = address;
    Object.assign(this, rest);
    this.validation.chosen = validation;
    this.frame.chosen = frame;
    this.wanted = choice;
    this.ask(0);
  }

  // As many cells as the model reads.
  private fit(cells: string[]): string[] {
    const count = Math.max(1, this.columns.length);
    return Array.from({ length: count }, (_, i) => (i + 1 < count ? (cells[i] ?? "") : cells.slice(i).join("\t")));
  }

  get columns(): string[] {
    return this.info?.columns.filter((name) => !["target", "alignment", "skip"].includes(name)) ?? ["source"];
  }

  get address(): Address {
    const { text, beam, prefix, target, edits, other, view, scale, step, position, words, keep, large, whole, own, sample } = this;
    const model = this.models[0]?.name === this.model ? "" : this.model;
    return { model, text, beam, prefix, target, edits, other, view, choice: this.wanted, scale, step, position, words, keep, large, whole, own, sample, validation: this.validation.chosen, frame: this.frame.chosen };
  }
  get hash(): string {
    return write_address(this.address, this.first_view);
  }

  get request(): Request {
    const request: Request = { model: this.model, text: this.text };
    if (this.beam > 1) request.beam = this.beam;
    if (this.prefix) request.prefix = this.prefix;
    if (this.target) request.target = this.target;
    if (this.edits.length > 0) request.edits = this.edits;
    if (this.words && this.engine.knows("words")) request.words = true;
    if (this.engine.knows("detail")) request.detail = true;
    if (this.beam > 1 && !this.target && this.engine.knows("tree")) request.tree = true;
    if (this.view === "gradient" && this.engine.knows("saliency")) request.saliency = true;
    if (this.view === "media" && this.has_media) request.media = true;
    // Folded into words an answer does not tell whether there were any.
    const untold = !this.words && !(this.model in this.attends_itself);
    if ((this.view === "self" || untold) && this.engine.knows("self_attention")) request.self_attention = true;
    return request;
  }

  picture(): Promise<string> {
    return this.engine.draw(this.request, this.drawn);
  }

  ask(pause = 0): void {
    clearTimeout(this.timer);
    this.awaited = false;
    if (this.models.length === 0) return;
    if (this.text.trim() === "" && this.info?.task !== "language_model") {
      this.main.drop();
      this.second.drop();
      this.explanation = this.before = this.compared = null;
      this.problem = "";
      return;
    }
    this.timer = setTimeout(() => (this.awaited = true), pause + slow);
    this.main.put(this.request, pause);
    // What was edited here means nothing to the other model.
    const { edits: _, ...request } = this.request;
    if (this.other) this.second.put({ ...request, model: this.other }, pause);
    else this.compared = null;
  }

  private take(request: Request, explanation: Explanation, milliseconds: number): void {
    clearTimeout(this.timer);
    this.awaited = false;
    this.problem = "";
    this.milliseconds = milliseconds;
    if (!request.prefix && !request.target && !request.edits) {
      this.before = explanation;
      this.plain_text = request.text;
    } else if (this.plain_text !== request.text) {
      this.before = null;
    }
    if (request.self_attention && !request.words) this.attends_itself = { ...this.attends_itself, [request.model]: explanation.self_maps.length > 0 };
    this.explanation = explanation;
    this.step = Math.min(this.step, Math.max(0, explanation.steps.length - 1));
    if (this.position >= (this.map?.columns.length ?? 0)) this.position = -1;
  }

  private fail(error: unknown): void {
    clearTimeout(this.timer);
    this.awaited = false;
    this.problem = error instanceof Error ? error.message : String(error);
    this.explanation = this.compared = null; // they answered something else
  }

  // What was forced belonged to the old text.
  private forget(): void {
    this.prefix = this.target = "";
    this.edits = [];
  }

  type(cell: number, text: string): void {
    this.cells[cell] = text;
    this.forget();
    this.ask(typing_pause);
  }
  show_text(text: string): void {
    this.cells = this.fit(text.split("\t"));
    this.forget();
    this.ask();
  }
  choose_model(name: string): void {
    const first = this.first_view;
    this.model = name;
    if (this.view === first || this.view === "media") this.view = this.first_view;
    this.cells = this.fit(this.cells);
    this.forget();
    this.wanted = "";
    this.explanation = this.before = null;
    this.own = 0;
    this.sample = this.validation.chosen = this.frame.chosen = -1; // of the other's run
    this.ask();
  }
  choose_other(name: string): void {
    this.other = name;
    if (name) this.view = "compare";
    this.ask();
  }
  choose_beam(beam: number): void {
    this.beam = Math.min(Math.max(Math.round(beam) || 1, 1), 64);
    this.ask();
  }
  choose_view(view: View): void {
    const asked = JSON.stringify(this.request);
    this.view = view;
    // Some views need more than the last answer has.
    if (JSON.stringify(this.request) !== asked) this.ask();
  }
  choose_words(words: boolean): void {
    this.words = words;
    this.forget();
    this.ask();
  }

  look(step: number, position: number): void {
    const steps = this.explanation?.steps.length ?? 0;
    if (step >= 0 && step < steps) this.step = step;
    this.position = position < (this.map?.columns.length ?? 0) ? Math.max(position, -1) : this.position;
  }

  // Writes the answer anew from this step on, beginning with the given token.
  force(step: number, token: string): void {
    if (!this.explanation) return;
    const tokenizer = this.info?.target_tokenizer ?? "char";
    const tokens = this.explanation.steps.slice(0, step).map((one) => one.token);
    this.edits = this.edits.filter((edit) => edit.step < step);
    this.target = this.prefix = "";
    if (is_stop_text(token)) this.target = joined(tokens, tokenizer);
    else this.prefix = joined([...tokens, token], tokenizer);
    this.step = step;
    this.ask();
  }
  edit(step: number, weights: number[], pause = 0): void {
    if (!this.explanation) return;
    const maps = this.choice === "mean" ? mean_of(this.explanation) : [this.choice];
    const others = this.edits.filter((edit) => edit.step !== step || !maps.includes(edit.map));
    this.edits = [...others, ...maps.map((map) => ({ step, map, weights }))];
    this.ask(pause);
  }
  undo(): void {
    if (!this.can_undo) return;
    this.forget();
    this.ask();
  }
}
