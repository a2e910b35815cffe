/** A fetch with a time limit for each attempt, which repeats what can be repeated safely. */
import { TaishiError } from "./errors.js";

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** How often a request is sent again; 3 if left out, 0: never. */
  retries?: number | undefined;
  /** Milliseconds for one attempt; 30,000 if left out, 0: no limit. */
  timeoutMs?: number | undefined;
  fetch?: Fetch | undefined;
}

const IDEMPOTENCY_KEY = "Idempotency-Key";
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
const REFUSED_FOR_NOW = new Set([429, 503]);
/** Its answer is shown once and not stored, so a key cannot make it repeatable. */
const NEVER_REPEATED = /\/v1\/keys$/;

/**
 * A POST carries an `Idempotency-Key`, the same in every attempt, so the server does it once.
 *
 * 429 and 503 say that nothing was done: every method is sent again. After a lost connection or a
 * timeout nobody knows; then only GET and POST are.
 */
export function retryingFetch(options: RetryOptions = {}): Fetch {
  const { retries = 3, timeoutMs = 30_000, fetch = (request) => globalThis.fetch(request) } = options;
  return async (original) => {
    const request = withIdempotencyKey(original);
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      try {
        const response = await fetch(timed(request.clone(), timeoutMs));
        const pause = pauseAfter(response, attempt);
        if (isLast || pause === null) return response;
        await response.body?.cancel();
        await sleep(pause, request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted || !isRepeatable(request)) throw noAnswer(error, request);
        await sleep(backOff(attempt), request.signal);
      }
    }
  };
}

function withIdempotencyKey(request: Request): Request {
  if (request.method !== "POST" || request.headers.has(IDEMPOTENCY_KEY)) return request;
  if (NEVER_REPEATED.test(new URL(request.url).pathname)) return request;
  request.headers.set(IDEMPOTENCY_KEY, randomKey());
  return request;
}

function isRepeatable(request: Request): boolean {
  return request.method === "GET" || request.headers.has(IDEMPOTENCY_KEY);
}

/** `crypto.randomUUID` is missing on pages that came over plain HTTP. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function timed(request: Request, timeoutMs: number): Request {
  if (!timeoutMs) return request;
  return new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]) });
}

/** Milliseconds until the next attempt; null: this is the answer. */
function pauseAfter(response: Response, attempt: number): number | null {
  if (!REFUSED_FOR_NOW.has(response.status)) return null;
  const said = retryAfter(response.headers.get("Retry-After"));
  if (said === null) return backOff(attempt);
  return said <= LONGEST_PAUSE_MS ? said : null;
}

/** `Retry-After` in milliseconds, from seconds or a date; null: it says nothing. */
export function retryAfter(value: string | null, now: number = Date.now()): number | null {
  if (!value) return null;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Twice as long each time, spread so that many clients do not come back at the same moment. */
function backOff(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

function noAnswer(cause: unknown, request: Request): TaishiError {
  const { origin } = new URL(request.url);
  const name = cause instanceof Error ? cause.name : "";
  if (request.signal.aborted) return lost("aborted", "Aborted", "The caller aborted the request.", cause);
  if (name === "TimeoutError") {
    return lost("timeout", "No answer in time", `${origin} did not answer in time; raise timeoutMs or try again.`, cause);
  }
  return lost("network", "No connection", `${origin} cannot be reached; is \`taishi serve\` running there?`, cause);
}

function lost(code: string, title: string, detail: string, cause: unknown): TaishiError {
  return new TaishiError({ status: 0, code, title, detail }, { cause });
}
