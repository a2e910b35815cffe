/** 401 in words for whoever made the client: which server it was, and what to do about the key. */
import type { Fetch } from "./retry.js";

interface Body {
  type?: unknown;
}

export function namingTheKey(fetch: Fetch, hasKey: boolean): Fetch {
  return async (request) => {
    const response = await fetch(request);
    if (response.status !== 401) return response;
    const problem = (await response.clone().json().catch(() => null)) as Body | null;
    if (!String(problem?.type).endsWith(":unauthenticated")) return response; // something in between
    const { origin } = new URL(request.url);
    const detail = hasKey
      ? `${origin} does not know this key, or it was revoked or has expired; see \`taishi keys list\` there`
      : `${origin}: no key; pass \`apiKey\``;
    const headers = new Headers(response.headers);
    for (const name of ["Content-Length", "Content-Encoding"]) headers.delete(name);
    return new Response(JSON.stringify({ ...problem, detail }), { status: 401, headers });
  };
}
