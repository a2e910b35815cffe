/** Retries, time limits and idempotency keys, against a server that fails as told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Taishi, TaishiError, retryAfter } from "@taishi/client";
import { reply, scripted } from "./support.cjs";

const TURN = { new_info: "Ann moved to Oslo." };
const DONE = { id: "t1:1", kept: true };
const AGAIN = { "Retry-After": "0" };

async function against<T>(
  answer: Parameters<typeof scripted>[0],
  work: (client: Taishi, seen: Awaited<ReturnType<typeof scripted>>["seen"]) => Promise<T>,
  options: { retries?: number; timeoutMs?: number } = {},
): Promise<T> {
  const server = await scripted(answer);
  try {
    return await work(new Taishi({ baseUrl: server.address, scope: { user: "ann" }, ...options }), server.seen);
  } finally {
    await server.close();
  }
}

test("503 and 429 are tried again with the same idempotency key", async () => {
  await against(
    (attempt, response) => (attempt < 3 ? reply(response, attempt === 1 ? 503 : 429, {}, AGAIN) : reply(response, 202, DONE)),
    async (client, seen) => {
      assert.deepEqual(await client.endTurn(TURN), DONE);
      assert.equal(seen.length, 3);
      assert.ok(seen[0]?.key && seen.every((one) => one.key === seen[0]?.key));
      await client.endTurn(TURN);
      assert.notEqual(seen[3]?.key, seen[0]?.key);
    },
  );
});

test("a dropped connection: POST and GET are sent again, DELETE and PUT are not", async () => {
  await against(
    (attempt, response) => (attempt % 2 ? response.destroy() : reply(response, 200, { ...DONE, items: [], next: null })),
    async (client, seen) => {
      await client.endTurn(TURN);
      await client.listRecords();
      assert.deepEqual(seen.map((one) => one.method), ["POST", "POST", "GET", "GET"]);
      await assert.rejects(client.forgetRecord("x"), (error: TaishiError) => error.status === 0 && error.code === "network");
      assert.equal(seen.length, 5);
    },
  );
});

test("what was refused for good, or for too long, is not sent again", async () => {
  await against(
    (attempt, response) => reply(response, attempt === 1 ? 422 : 429, { title: "No", detail: "Do this." }, { "Retry-After": "3600" }),
    async (client, seen) => {
      await assert.rejects(client.endTurn(TURN), (error: TaishiError) => error.status === 422 && error.message === "Do this.");
      await assert.rejects(client.endTurn(TURN), (error: TaishiError) => error.status === 429);
      assert.equal(seen.length, 2);
    },
  );
});

test("retries end, and the last answer is the error", async () => {
  await against(
    (_, response) => reply(response, 503, "not even an object", AGAIN),
    async (client, seen) => {
      await assert.rejects(client.recall("x"), (error: TaishiError) => error.status === 503 && error.title === "HTTP 503");
      assert.equal(seen.length, 3);
    },
    { retries: 2 },
  );
});

test("an attempt that takes too long is a timeout; a caller may abort", async () => {
  await against(
    () => undefined,
    async (client) => {
      await assert.rejects(client.recall("x"), (error: TaishiError) => error.code === "timeout");
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 20);
      const asked = client.recall("x", {}, { signal: stop.signal });
      await assert.rejects(asked, (error: TaishiError) => error.code === "aborted");
    },
    { retries: 0, timeoutMs: 200 },
  );
});

test("creating a key is never repeated after a lost connection", async () => {
  await against(
    (_, response) => response.destroy(),
    async (client, seen) => {
      await assert.rejects(client.api.POST("/v1/keys", { body: { name: "k" } }), TaishiError);
      assert.deepEqual(seen.map((one) => one.key), [undefined]);
    },
  );
});

test("Retry-After is seconds or a date", () => {
  assert.equal(retryAfter("2"), 2000);
  assert.equal(retryAfter("Thu, 01 Jan 1970 00:00:05 GMT", 2000), 3000);
  assert.equal(retryAfter("Thu, 01 Jan 1970 00:00:05 GMT", 9000), 0);
  assert.equal(retryAfter("soon"), null);
  assert.equal(retryAfter(null), null);
});

test("a 401 of something in between is left as it is", async () => {
  await against(
    (_, response) => reply(response, 401, { title: "Sign in to the proxy", detail: "over there" }),
    async (client) => {
      await assert.rejects(client.whoami(), (error: TaishiError) => error.status === 401 && error.detail === "over there");
    },
  );
});
