/** The middleware around a mock model of the real AI SDK, against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Taishi, TaishiError } from "@taishi/client";
import { taishiMiddleware, type MemoryClient } from "@taishi/ai-sdk";
import { connect, settled } from "./support.cjs";

type Result = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Part = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

const USAGE: Result["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const STOP = { unified: "stop", raw: "stop" } as const;

function says(text: string): Result {
  return { content: [{ type: "text", text }], finishReason: STOP, usage: USAGE, warnings: [] };
}

function wrapped(model: MockLanguageModelV3, client: MemoryClient, onError?: (error: unknown) => void) {
  return wrapLanguageModel({ model, middleware: taishiMiddleware({ client, speaker: "Ann", onError }) });
}

function prompts(model: MockLanguageModelV3): string[] {
  return [...model.doGenerateCalls, ...model.doStreamCalls].map((call) => JSON.stringify(call.prompt));
}

test("what one chat told is in the prompt of the next, before the user's words", async () => {
  const client = connect({ user: "sdk-ann" });
  const mock = new MockLanguageModelV3({ doGenerate: async () => says("Congratulations!") });
  const model = wrapped(mock, client);
  const first = await generateText({ model, system: "Be kind.", prompt: "I moved to Oslo, and my cat is called Ink." });
  assert.equal(first.text, "Congratulations!");
  await settled(connect({}));
  await generateText({ model, system: "Be kind.", prompt: "What is my cat called?" });
  const [before, after] = mock.doGenerateCalls;
  assert.ok(before && after);
  assert.equal(JSON.stringify(before.prompt).match(/Ink/g)?.length, 1);
  const last = after.prompt.at(-1);
  assert.ok(last?.role === "user" && last.content.length === 2);
  const [block, question] = last.content;
  assert.ok(block?.type === "text" && /Ink/.test(block.text));
  assert.ok(question?.type === "text" && question.text === "What is my cat called?");
  assert.deepEqual(after.prompt[0], { ...before.prompt[0] });
  const other = new MockLanguageModelV3({ doGenerate: async () => says("No idea.") });
  await generateText({ model: wrapped(other, connect({ user: "sdk-bob" })), prompt: "What is my cat called?" });
  assert.doesNotMatch(prompts(other).join(), /Ink/);
});

test("without a scope there is no middleware", () => {
  const missing = (error: unknown) => error instanceof TaishiError && error.code === "scope";
  assert.throws(() => taishiMiddleware({ client: connect({}) }), missing);
  assert.throws(() => taishiMiddleware({ client: connect({ user: "sdk-ann" }), scope: { session: "s" } }), missing);
  assert.ok(taishiMiddleware({ client: connect({}), scope: { group: "g" } }));
});

test("the block itself is never recorded as something that was said", async () => {
  const client = connect({ user: "sdk-echo" });
  await client.remember("Ann's favourite colour is vermilion.");
  const mock = new MockLanguageModelV3({ doGenerate: async () => says("Fine.") });
  await generateText({ model: wrapped(mock, client), prompt: "I love my favourite colour, remember that." });
  assert.match(prompts(mock).join(), /vermilion/);
  await settled(connect({}));
  const texts: string[] = [];
  for await (const record of client.records()) texts.push(record.text);
  assert.equal(texts.filter((text) => text.includes("vermilion")).length, 1, texts.join("\n"));
});

test("a streamed answer arrives whole and ends the turn", async () => {
  const client = connect({ user: "sdk-stream" });
  const chunks: Part[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "记下" },
    { type: "text-delta", id: "1", delta: "了。" },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: STOP, usage: USAGE },
  ];
  const mock = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const { textStream } = streamText({ model: wrapped(mock, client), prompt: "我对花生过敏。" });
  let text = "";
  for await (const delta of textStream) text += delta;
  assert.equal(text, "记下了。");
  await settled(connect({}));
  assert.ok((await client.recall("对什么过敏")).hits.some((hit) => hit.text.includes("花生")));
});

test("a call that ends in tool calls does not end the turn", async () => {
  const client = connect({ user: "sdk-tools" });
  const calls: string[] = [];
  const fetch = async (request: Request) => (calls.push(new URL(request.url).pathname), globalThis.fetch(request));
  const { TAISHI_ADDRESS: baseUrl = "", TAISHI_API_KEY: apiKey } = process.env;
  const noted = new Taishi({ baseUrl, apiKey, scope: client.scope, fetch });
  const call = { type: "tool-call", toolCallId: "1", toolName: "weather", input: "{}" } as const;
  const mock = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) =>
      prompt.at(-1)?.role === "tool"
        ? says("It rains.")
        : { ...says(""), content: [call], finishReason: { unified: "tool-calls", raw: "tool_calls" } },
  });
  const weather = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "rain" });
  const tools = { weather };
  await generateText({ model: wrapped(mock, noted), tools, stopWhen: stepCountIs(3), prompt: "I live in Bergen. Weather?" });
  assert.equal(mock.doGenerateCalls.length, 2);
  assert.deepEqual(calls, ["/v1/context", "/v1/context", "/v1/turns/consider"]);
});

test("a memory that is away does not break the chat", async () => {
  const errors: unknown[] = [];
  const away = new Taishi({ baseUrl: "http://127.0.0.1:9", scope: { user: "x" }, retries: 0 });
  const mock = new MockLanguageModelV3({ doGenerate: async () => says("Still here.") });
  const { text } = await generateText({ model: wrapped(mock, away, (error) => errors.push(error)), prompt: "Hello, I moved." });
  assert.equal(text, "Still here.");
  assert.equal(errors.length, 2);
});
