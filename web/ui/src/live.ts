/** Follows the changes of a place: server-sent events over fetch, as those can carry our header. */
import { pageHeaders } from "./api";
import { scopeOf, type Place } from "./place";

const AGAIN_MS = 2000;
const MOST_MS = 30_000;

/** Such as: this key does not reach that place. */
class RefusedError extends Error {}

/** Calls `changed` whenever the counters moved, until the returned function is called. */
export function follow(place: Place, changed: () => void, online: (is: boolean) => void): () => void {
  const stop = new AbortController();
  void run(place, changed, online, stop.signal);
  return () => stop.abort();
}

async function run(
  place: Place,
  changed: () => void,
  online: (is: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let wait = AGAIN_MS;
  let last = "";
  while (!signal.aborted) {
    try {
      for await (const data of events(place, signal)) {
        wait = AGAIN_MS;
        online(true);
        if (last && data !== last) changed();
        last = data;
      }
    } catch (error) {
      if (signal.aborted) return;
      online(error instanceof RefusedError); // it answers, though not with what was asked for
      wait = Math.min(wait * 2, MOST_MS);
    }
    await pause(wait, signal);
  }
}

async function* events(place: Place, signal: AbortSignal): AsyncGenerator<string> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(scopeOf(place))) params.set(name, String(value));
  const headers = { ...pageHeaders(), Accept: "text/event-stream" };
  const answer = await fetch(`/v1/changes?${params}`, { headers, signal });
  if (answer.status >= 400 && answer.status < 500) throw new RefusedError(`HTTP ${answer.status}`);
  if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = part.split("\n").find((one) => one.startsWith("data: "));
      if (line) yield line.slice(6);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
