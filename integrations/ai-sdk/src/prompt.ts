/** Reads a prompt of the AI SDK, and puts the memory's block into it. */

/** What the prompts of all versions of the AI SDK have in common. */
export interface PromptMessage {
  role: string;
  content: string | readonly { type: string; text?: unknown }[];
}

/** The position of the last message of the user; -1: there is none. */
export function lastUserIndex(prompt: readonly PromptMessage[]): number {
  return prompt.findLastIndex((message) => message.role === "user");
}

export function textOf(message: PromptMessage | undefined): string {
  if (!message) return "";
  if (typeof message.content === "string") return message.content.trim();
  const texts = message.content.map((part) => (part.type === "text" && typeof part.text === "string" ? part.text : ""));
  return texts.join("\n").trim();
}

/** What the model said last before the user's message: a short "yes" means nothing without it. */
export function previousAnswer(prompt: readonly PromptMessage[], before: number): string {
  return textOf(prompt.slice(0, before).findLast((message) => message.role === "assistant"));
}

/** The block goes before the user's own words, never into the system message: it is no instruction. */
export function withBlock<M extends PromptMessage>(prompt: M[], block: string): M[] {
  const at = lastUserIndex(prompt);
  return prompt.map((message, index) => {
    if (index !== at || typeof message.content === "string") return message;
    return { ...message, content: [{ type: "text", text: block }, ...message.content] } as M;
  });
}
