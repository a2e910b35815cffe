/** Names that the pages leave to the reader. */
declare const yourModel: import("ai/test").MockLanguageModelV3;
declare function askModel(prompt: string): Promise<string>;

declare module "@ai-sdk/openai" {
  export function openai(name: string): import("ai/test").MockLanguageModelV3;
}
