/** A memory for models of the Vercel AI SDK: recall before each call, record after the answer. */
import type { LanguageModelMiddleware } from "ai";
import { TaishiError, type Scope, type Taishi } from "@taishi/client";
import { lastUserIndex, previousAnswer, textOf, withBlock } from "./prompt.js";

/** What of a `Taishi` is used. */
export interface MemoryClient extends Pick<Taishi, "scope" | "context" | "consider"> {
  withScope(scope: Scope): MemoryClient;
}

export interface TaishiMiddlewareOptions {
  client: MemoryClient;
  /** Whose memory it is; the client's own scope if left out. With neither, a TaishiError. */
  scope?: Scope | undefined;
  /** The user's name, as memory shall call them; their id if left out. */
  speaker?: string | undefined;
  /** The model's name in what is recorded; "assistant" if left out. */
  botName?: string | undefined;
  /** Most tokens of the block; the server's setting if left out. */
  maxTokens?: number | undefined;
  /** Whether turns are recorded; true if left out. */
  record?: boolean | undefined;
  /** What to do when memory fails; the chat goes on either way. Warns on the console if left out. */
  onError?: ((error: unknown) => void) | undefined;
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type StreamPart = Parameters<NonNullable<LanguageModelMiddleware["wrapStream"]>>[0] extends {
  doStream: () => PromiseLike<{ stream: ReadableStream<infer Part> }>;
}
  ? Part
  : never;

/** What of a call is recorded: the prompt as it was before the block went into it. */
type Said = Params["prompt"];

export function taishiMiddleware(options: TaishiMiddlewareOptions): LanguageModelMiddleware {
  const memory = new ChatMemory(options);
  const prompts = new WeakMap<object, Said>();
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const changed = { ...params, prompt: await memory.recalled(params.prompt) };
      prompts.set(changed, params.prompt);
      return changed;
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      await memory.record(prompts.get(params) ?? params.prompt, text, result.finishReason);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const result = await doStream();
      const recorder = recording((text, reason) => memory.record(prompts.get(params) ?? params.prompt, text, reason));
      return { ...result, stream: result.stream.pipeThrough(recorder) };
    },
  };
}

/** Recall and record; a failure of either is reported and never reaches the chat. */
class ChatMemory {
  private readonly client: MemoryClient;

  constructor(private readonly options: TaishiMiddlewareOptions) {
    this.client = options.scope ? options.client.withScope(options.scope) : options.client;
    const { user, group, agent, shared } = this.client.scope;
    if (!(user ?? group ?? agent ?? shared)) throw noScope();
  }

  async recalled(prompt: Said): Promise<Said> {
    const query = textOf(prompt[lastUserIndex(prompt)]);
    if (!query) return prompt;
    const found = await this.attempt(() => this.client.context(query, { max_tokens: this.options.maxTokens }));
    return found?.block ? withBlock(prompt, found.block) : prompt;
  }

  async record(prompt: Said, answer: string, reason: unknown): Promise<void> {
    const at = lastUserIndex(prompt);
    const said = textOf(prompt[at]);
    if (this.options.record === false || !said || !isEndOfTurn(reason)) return;
    const { speaker = nameOf(this.client.scope), botName = "assistant" } = this.options;
    const messages = [
      { text: previousAnswer(prompt, at), speaker: botName },
      { text: said, speaker, speaker_id: this.client.scope.user },
      { text: answer, speaker: botName },
    ].filter((message) => message.text.trim());
    const details = { sender_name: speaker, bot_name: botName };
    await this.attempt(() => this.client.consider(messages, details));
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      (this.options.onError ?? warn)(error);
      return undefined;
    }
  }
}

/** A mistake in the program, and nobody may be taken for another; so it is not left to `onError`. */
function noScope(): TaishiError {
  return new TaishiError({
    status: 0,
    code: "scope",
    title: "No scope",
    detail: "whose memory is it? pass taishiMiddleware({ client, scope: { user } }), or a client with a scope",
  });
}

function recording(record: (text: string, reason: unknown) => Promise<void>): TransformStream<StreamPart, StreamPart> {
  let text = "";
  let reason: unknown;
  return new TransformStream<StreamPart, StreamPart>({
    transform(part, controller) {
      if (part.type === "text-delta") text += part.delta;
      if (part.type === "finish") reason = part.finishReason;
      controller.enqueue(part);
    },
    flush: () => record(text, reason),
  });
}

/** A call that ends in tool calls goes on; the turn ends with the call after the last of them. */
function isEndOfTurn(reason: unknown): boolean {
  const word = typeof reason === "string" ? reason : (reason as { unified?: string } | undefined)?.unified;
  return word === "stop" || word === "length";
}

function nameOf(scope: Scope): string {
  return String(scope.user ?? "user");
}

function warn(error: unknown): void {
  console.warn("Taishi:", error instanceof Error ? error.message : error);
}
