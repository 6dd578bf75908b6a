import "./style.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { HttpEngine } from "./engine/http.ts";
import { RecordedEngine, address_of, recording_in } from "./engine/recorded.ts";
import { Session } from "./session.svelte.ts";

const recording = recording_in(document);
const session = new Session(recording ? new RecordedEngine(recording) : new HttpEngine());
mount(App, { target: document.getElementById("page")!, props: { session, recorded: !!recording } });
const asked = recording ? address_of(recording.request) : location.hash;
void session.open(location.hash.length > 1 ? location.hash : asked);
