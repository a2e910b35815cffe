/** What the tests are given by the Python that starts them: a server, and a key to it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Taishi, unwrap, type Scope } from "@taishi/client";

export const ADDRESS = process.env["TAISHI_ADDRESS"] ?? "";
export const KEY = process.env["TAISHI_API_KEY"] ?? "";

export function connect(scope: Scope): Taishi {
  return new Taishi({ baseUrl: ADDRESS, apiKey: KEY, scope });
}

/** Until the historian has nothing to do. */
export async function settled(client: Taishi): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const { jobs } = await unwrap(client.api.GET("/v1/jobs", {}));
    const waiting = jobs.filter((job) => job.state !== "failed");
    if (!waiting.length) return;
    await sleep(50);
  }
  throw new Error("the historian did not finish");
}

export interface Seen {
  method: string;
  path: string;
  key: string | undefined;
}

/** A server that answers as it is told, and notes what it was asked. */
export async function scripted(
  answer: (attempt: number, response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ address: string; seen: Seen[]; close: () => Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const key = request.headers["idempotency-key"];
    seen.push({ method: request.method ?? "", path: request.url ?? "", key: key as string | undefined });
    request.resume().on("end", () => answer(seen.length, response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve())));
  return { address: `http://127.0.0.1:${port}`, seen, close };
}

export function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}
