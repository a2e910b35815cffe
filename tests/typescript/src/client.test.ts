/** @taishi/client against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Taishi, TaishiError, createClient, unwrap, type Scope } from "@taishi/client";
import { ADDRESS, KEY, connect, settled } from "./support.cjs";

test("a scope needs no more than who speaks", async () => {
  const api = createClient({ baseUrl: ADDRESS, apiKey: KEY });
  const scope: Scope = { user: "typed" };
  const found = await unwrap(api.POST("/v1/recall", { body: { scope, query: "anything" } }));
  assert.deepEqual(found.hits, []);
  // @ts-expect-error: a body without its question does not compile
  await assert.rejects(unwrap(api.POST("/v1/recall", { body: { scope } })), TaishiError);
});

test("what was remembered is recalled, and is in the block", async () => {
  const client = connect({ user: "ann" });
  const { id } = await client.remember("Ann moved to Oslo.", { speaker: "Ann" });
  assert.ok(id);
  const { hits } = await client.recall("Where does Ann live?", { top_k: 3 });
  assert.deepEqual(hits.map((hit) => hit.text), ["Ann moved to Oslo."]);
  const { block } = await client.context("Where does Ann live?", { max_tokens: 500 });
  assert.match(block, /Ann moved to Oslo\./);
  assert.equal((await client.withScope({ user: "bob" }).recall("Where does Ann live?")).hits.length, 0);
});

test("a turn is durable when it is answered, and sent twice it is kept once", async () => {
  const client = connect({ user: "tea", session: "s1" });
  const turn = { action_summary: "Talked about tea", new_info: "Tea drinker prefers 龙井茶.", wait: 5 };
  const first = await client.endTurn(turn, { idempotencyKey: "message-1" });
  const again = await client.endTurn(turn, { idempotencyKey: "message-1" });
  assert.ok(first.kept && first.id === again.id);
  assert.ok((await client.recall("龙井茶")).hits.length > 0);
});

test("consider keeps what is worth keeping", async () => {
  const client = connect({ user: "cat" });
  const { id } = await client.consider([{ text: "我养了一只猫，叫墨水。", speaker: "安宁" }], { bot_name: "小史" });
  assert.ok(id);
  await settled(connect({}));
  assert.ok((await client.recall("猫叫什么")).hits.some((hit) => hit.text.includes("墨水")));
});

test("records: many at once, page by page, changed, forgotten", async () => {
  const client = connect({ user: "many" });
  const texts = Array.from({ length: 25 }, (_, number) => `Note number ${number}.`);
  const { ids } = await client.rememberMany(texts.map((text) => ({ text, kind: "event" as const })));
  const listed: string[] = [];
  for await (const record of client.records({ limit: 10, kinds: ["event"] })) listed.push(record.text);
  assert.deepEqual(listed.sort(), texts.sort());
  const id = ids[0] ?? "";
  assert.equal((await client.updateRecord(id, { metadata: { seen: true } })).metadata["seen"], true);
  assert.equal((await client.recordHistory(id)).versions.length, 1);
  assert.equal((await client.recordEvidence(id)).id, id);
  assert.equal((await client.forgetRecord(id)).removed, 1);
  await assert.rejects(client.getRecord(id), (error: TaishiError) => error.status === 404 && error.code === "not-found");
  assert.ok((await client.forget()).removed >= 24);
  assert.equal((await client.listRecords()).items.length, 0);
});

test("profiles, notes and sessions", async () => {
  const client = connect({ user: "pia", session: "s1" });
  await client.setProfile("user", "pia", { body: "- likes tea", name: "Pia" });
  assert.match((await client.getProfile("user", "pia")).body, /likes tea/);
  const { note } = await client.writeNote("plans/trip-旅行.md", "Pack the tent.", { expected_version: 0 });
  assert.equal(note?.version, 1);
  assert.equal((await client.readNote("plans/trip-旅行.md")).text, "Pack the tent.");
  const conflict = client.writeNote("plans/trip-旅行.md", "Too late.", { expected_version: 0 });
  await assert.rejects(conflict, (error: TaishiError) => error.status === 409);
  assert.equal((await client.listNotes()).notes.length, 1);
  await client.removeNote("plans/trip-旅行.md");
  await client.appendMessages([{ role: "user", content: "Hello" }]);
  assert.equal((await client.sessionWindow(1000)).messages.length, 1);
  await client.patchScratchpad({ current_goal: "Say hello" });
  assert.equal((await client.getScratchpad()).current_goal, "Say hello");
  assert.equal((await client.listSessions()).sessions.length, 1);
  assert.ok((await client.clearSession()).removed >= 1);
});

test("a fact is put right, and an update of it says how", async () => {
  const client = connect({ user: "correct" });
  const { id } = await client.remember("Ann lives in Bonn.", { kind: "fact" });
  await assert.rejects(client.updateRecord(id ?? "", { text: "Ann lives in Trier." }), (error: TaishiError) => {
    assert.match(error.detail, /POST \/v1\/facts\/\{id\}\/correct/);
    return !error.detail.includes("facts.correct");
  });
  const corrected = await client.correctFact(id ?? "", "Ann lives in Trier.");
  assert.ok(corrected.id && corrected.id !== id);
  const { hits } = await client.recall("Where does Ann live?", { kinds: ["fact"] });
  assert.deepEqual(hits.map((hit) => hit.text), ["Ann lives in Trier."]);
});

test("an address without its scheme says what to write", () => {
  const wrong = (baseUrl: string) => () => new Taishi({ baseUrl });
  const told = (words: RegExp) => (error: unknown) => error instanceof TaishiError && error.code === "address" && words.test(error.message);
  assert.throws(wrong("127.0.0.1:8321"), told(/write http:\/\/127\.0\.0\.1:8321 or https:/));
  assert.throws(wrong("localhost:8321/v1"), told(/write http:\/\/localhost:8321\/v1/));
  for (const other of ["", "ftp://x", "http://", "http://a b"]) assert.throws(wrong(other), told(/http:\/\/HOST:PORT/));
});

test("errors carry what a person and a program need", async () => {
  const wrong = new Taishi({ baseUrl: ADDRESS, apiKey: "tsk_wrong", scope: { user: "ann" } });
  await assert.rejects(wrong.whoami(), (error: TaishiError) => {
    assert.ok(error instanceof TaishiError && error instanceof Error);
    assert.equal(error.status, 401);
    assert.ok(error.detail.startsWith(ADDRESS) && error.detail.includes("taishi keys list"), error.detail);
    assert.ok(error.title && error.detail && error.requestId);
    return true;
  });
  const keyless = new Taishi({ baseUrl: ADDRESS, apiKey: undefined, scope: { user: "ann" } });
  await assert.rejects(keyless.whoami(), (error: TaishiError) => error.detail === `${ADDRESS}: no key; pass \`apiKey\``);
  const zh = new Taishi({ baseUrl: ADDRESS, apiKey: KEY, scope: {}, language: "zh" });
  await assert.rejects(zh.recall("x"), (error: TaishiError) => error.code === "scope" && /[\u4e00-\u9fff]/.test(error.detail));
  const long = connect({ user: "ann" }).recall("x".repeat(30_000));
  await assert.rejects(long, (error: TaishiError) => error.fields[0]?.where === "query");
  assert.equal((await connect({}).whoami()).rights, "admin");
  for (const end of ["/", "/v1", "/v1/"]) {
    assert.equal((await new Taishi({ baseUrl: ADDRESS + end, apiKey: KEY }).whoami()).rights, "admin");
  }
});
