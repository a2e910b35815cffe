/** A typed client of Taishi's REST interface. `schema.ts` is generated from its OpenAPI description. */
import createFetchClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type TaishiClient = Client<paths>;

/** What the server says when it refuses: `detail` tells a person what to do next (RFC 9457). */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly fields: { where: string; what: string }[] = [],
  ) {
    super(detail || title);
    this.name = "ProblemError";
  }
}

export interface ClientOptions {
  /** The server's address; the page's own if left out. */
  baseUrl?: string;
  /** An API key; the session's cookie if left out. */
  apiKey?: string;
  /** Headers of every request. */
  headers?: () => Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}

export function createClient(options: ClientOptions = {}): TaishiClient {
  const client = createFetchClient<paths>({
    baseUrl: options.baseUrl ?? "",
    ...(options.fetch ? { fetch: options.fetch } : {}),
  });
  client.use({
    onRequest({ request }) {
      if (options.apiKey) request.headers.set("Authorization", `Bearer ${options.apiKey}`);
      for (const [name, value] of Object.entries(options.headers?.() ?? {})) request.headers.set(name, value);
      return request;
    },
  });
  return client;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer's data; a ProblemError if the server refused, or a network error as it is. */
export async function unwrap<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (response.ok) return data as T;
  throw problemOf(response.status, error);
}

export function problemOf(status: number, body: unknown): ProblemError {
  const said = (body && typeof body === "object" ? body : {}) as Record<string, unknown>;
  const code = String(said["type"] ?? "").replace(/^.*:/, "");
  const fields = Array.isArray(said["errors"]) ? (said["errors"] as { where: string; what: string }[]) : [];
  return new ProblemError(status, code, String(said["title"] ?? `HTTP ${status}`), String(said["detail"] ?? ""), fields);
}
