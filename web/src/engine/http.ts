// The engine behind `fovea serve` (docs/http.md).
import { type Explanation, read_explanation } from "../model/explanation.ts";
import type { RunEvent } from "../model/run.ts";
import type { Drawn, Engine, Extra, Mechanism, ModelInfo, Request } from "./engine.ts";

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const no_answer: Record<string, string> = {
  empty: "There is nothing to answer yet.",
  too_long: "This line is longer than the model reads.",
  too_few_columns: "This model reads several columns: fill each of the boxes.",
  unreadable: "The model cannot read this line.",
};

function mechanism(value: unknown): Mechanism {
  const { name, formula, paper } = fields(value);
  return { name: text(name), formula: text(formula), paper: text(paper) };
}

function read_model(value: unknown, files: boolean): ModelInfo {
  const model = fields(value);
  const attention = model.attention ? fields(model.attention) : null;
  return {
    name: text(model.name),
    path: text(model.path),
    task: text(model.task),
    weights: Number(model.weights ?? 0),
    columns: text(model.reads) ? text(model.reads).split("<TAB>") : list(model.columns).map(text),
    sources: list(model.sources).map((source) => ({
      name: text(fields(source).name),
      kind: text(fields(source).kind),
      tokenizer: text(fields(source).tokenizer),
      files: fields(source).files === true,
    })),
    files,
    target_tokenizer: text(fields(model.target).tokenizer),
    max_length: Number(model.max_length ?? 0),
    attention: attention && {
      score: mechanism(attention.score),
      bias: list(attention.bias).map(mechanism),
      select: mechanism(attention.select),
      read: mechanism(attention.read),
      heads: Number(attention.heads ?? 1),
    },
    run: model.run === true,
  };
}

async function read_json(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body;
  const message = text(fields(fields(body).error).message);
  const later = response.headers.get("Retry-After");
  if (response.status === 503) throw new Error(`The server is busy${later ? `; it asks to come again in ${later} s` : ""}.`);
  throw new Error(message || `The server answered ${response.status}.`);
}

// Every browser has words of its own for a server that is not there, and none says what to do.
async function ask(path: string, how: RequestInit = {}): Promise<unknown> {
  const response = await fetch(path, how).catch((error: unknown) => {
    if (how.signal?.aborted) throw error;
    throw new Error("The server does not answer; is `fovea serve` running?");
  });
  return read_json(response);
}

async function ask_model(request: Fields | Request, signal?: AbortSignal): Promise<Fields> {
  const answer = await ask("/v1/explain", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    ...(signal ? { signal } : {}),
  });
  const first = fields(list(fields(answer).explanations)[0]);
  const status = text(first.status);
  if (status !== "" && status !== "answered") throw new Error(text(first.problem) || no_answer[status] || `No answer: ${status}.`);
  return first;
}

export class HttpEngine implements Engine {
  private known = new Set<string>();

  async models(): Promise<ModelInfo[]> {
    // What requests may hold is told by the server itself, so that an older one is not asked for what it does not know.
    const [models, described] = await Promise.all([
      ask("/v1/models"),
      ask("/openapi.json").catch(() => ({})),
    ]);
    const schemas = fields(fields(fields(described).components).schemas);
    this.known = new Set(Object.keys(fields(fields(schemas.ExplainRequest).properties)));
    return list(fields(models).models).map((model) => read_model(model, fields(models).files === true));
  }

  knows(extra: Extra): boolean {
    return this.known.has(extra);
  }

  async explain(request: Request, signal: AbortSignal): Promise<Explanation> {
    return read_explanation(await ask_model(request, signal));
  }

  async draw({ detail: _, tree: __, media: ___, ...request }: Request, drawn: Drawn): Promise<string> {
    return text((await ask_model({ ...request, ...drawn, svg: true })).svg);
  }

  watch(model: string, heard: (events: RunEvent[], live: boolean) => void, failed: (message: string) => void): () => void {
    const stop = new AbortController();
    let source: EventSource | undefined;
    const begin = async (): Promise<void> => {
      const run = fields(await ask(`/v1/run?model=${encodeURIComponent(model)}`, { signal: stop.signal }));
      const events = [...list(run.events), ...list(run.film)].map(fields);
      if (run.live !== true) return heard(events, false);
      // Live: the stream begins with all that has happened, so what came with the run is not counted twice.
      source = new EventSource("/v1/events");
      let waiting: RunEvent[] = [];
      let last = -1;
      const flush = (): void => {
        if (waiting.length > 0) heard(waiting, true);
        waiting = [];
      };
      const take = (message: MessageEvent<string>): void => {
        const id = Number(message.lastEventId);
        if (message.lastEventId !== "" && id <= last) return;
        if (message.lastEventId !== "") last = id;
        if (waiting.length === 0) setTimeout(flush, 50);
        waiting.push(fields(JSON.parse(message.data)));
        if (waiting.at(-1)!.event === "ended") source?.close();
      };
      // What was refused stays closed; what broke off is tried again by the browser.
      source.onerror = () =>
        failed(source?.readyState === EventSource.CLOSED ? "The server sends no events now, perhaps because too many watch already. Reload the page to try again." : "The training does not answer: it has ended or was stopped. `fovea serve RUN` lets you ask what it saved.");
      source.onopen = () => failed("");
      for (const name of ["message", "started", "update", "validation", "notice", "warning", "saved", "film", "ended"]) source.addEventListener(name, take);
    };
    begin().catch((error: unknown) => {
      if (!stop.signal.aborted) failed(error instanceof Error ? error.message : String(error));
    });
    return () => {
      stop.abort();
      source?.close();
    };
  }
}
