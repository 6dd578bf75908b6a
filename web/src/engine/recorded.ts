// The engine of a stand-alone page: it has the one explanation that was saved with it, and says so to any other question.
import { plain, write_address } from "../model/address.ts";
import { type Explanation, read_explanation } from "../model/explanation.ts";
import type { Drawn, Engine, ModelInfo, Request } from "./engine.ts";

export interface Recording {
  model: ModelInfo;
  request: Request;
  explanation: unknown;
  drawn: Drawn; // what its picture shows
  svg: string;
}

// What was asked, forced and edited, as the address of a page that asks the same.
export const address_of = ({ text, beam = 1, prefix = "", target = "", edits = [] }: Request): string => write_address({ ...plain, text, beam, prefix, target, edits });

export class RecordedEngine implements Engine {
  constructor(readonly recording: Recording) {}

  models(): Promise<ModelInfo[]> {
    return Promise.resolve([this.recording.model]);
  }
  knows(): boolean {
    return false;
  }
  explain(request: Request): Promise<Explanation> {
    if (address_of(request) !== address_of(this.recording.request))
      return Promise.reject(new Error("This page is a recording: it has one answer only. Open the page with `fovea serve` to ask for others."));
    return Promise.resolve(read_explanation(this.recording.explanation));
  }
  draw(_: Request, { layer, head }: Drawn): Promise<string> {
    const { drawn, svg } = this.recording;
    if (layer === drawn.layer && head === drawn.head) return Promise.resolve(svg);
    return Promise.reject(new Error("This page is a recording: it has the picture of the map that was shown when it was saved."));
  }
  watch(): () => void {
    return () => undefined;
  }
}

// Where a stand-alone page keeps what was saved with it.
export const recording_id = "recording";

export function recording_in(document: Document): Recording | undefined {
  const element = document.getElementById(recording_id);
  return element?.textContent ? (JSON.parse(element.textContent) as Recording) : undefined;
}
