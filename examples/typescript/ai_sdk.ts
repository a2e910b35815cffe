/**
 * A model of the Vercel AI SDK with a memory. With a key of a provider, replace `echo` by its model:
 *
 *     python integrations/build_packages.py   # in the clone of this repository
 *     npm install ai @ai-sdk/openai CLONE/build/npm/taishi-client-0.1.0.tgz CLONE/build/npm/taishi-ai-sdk-0.1.0.tgz
 *     const model = wrapLanguageModel({ model: openai("gpt-5-mini"), middleware });
 */
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Taishi } from "@taishi/client";
import { taishiMiddleware } from "@taishi/ai-sdk";

const client = new Taishi({
  baseUrl: process.env["TAISHI_ADDRESS"] ?? "http://127.0.0.1:8321",
  apiKey: process.env["TAISHI_API_KEY"],
});
const middleware = taishiMiddleware({ client, scope: { user: "lin" }, speaker: "Lin" });

/** Answers with the prompt that it got, so that this runs without a provider. */
const echo = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: JSON.stringify(prompt.at(-1)?.content) }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }),
});

const model = wrapLanguageModel({ model: echo, middleware });
await generateText({ model, prompt: "I am allergic to peanuts." });
await new Promise((resolve) => setTimeout(resolve, 1000)); // what was said is recorded in the background
console.log((await generateText({ model, prompt: "What must I not eat?" })).text);
