/** Every route of the REST interface by path, typed by its OpenAPI description. */
import createFetchClient, { type Client } from "openapi-fetch";
import { problemOf } from "./errors.js";
import type { Fetch } from "./retry.js";
import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];
export type TaishiApi = Client<paths>;

export interface ApiOptions {
  /** The server's address; the page's own if left out. */
  baseUrl?: string | undefined;
  /** An API key; the session's cookie if left out. */
  apiKey?: string | undefined;
  /** Headers of every request. */
  headers?: (() => Record<string, string>) | undefined;
  fetch?: Fetch | undefined;
}

export function createClient(options: ApiOptions = {}): TaishiApi {
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

/** The answer's data; a TaishiError if the server refused, or a network error as it is. */
export async function unwrap<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (response.ok) return data as T;
  throw problemOf(response.status, error);
}
