/** ChatLuna: memory as a prompt function, and the end of its chats as the end of a turn. */
import type { Context, Session } from "koishi";
import type { TaishiMemory } from "./memory.js";

/** What of ChatLuna's service is used; the package itself need not be installed. */
export interface PromptRenderer {
  registerFunctionProvider(
    name: string,
    handler: (args: string[], variables: Record<string, unknown>, configurable: Record<string, unknown>) => Promise<string>,
  ): () => void;
}

type AfterChat = (
  conversationId: string,
  source: unknown,
  reply: unknown,
  variables: unknown,
  chat: unknown,
  session: Session,
) => Promise<void>;

/** A preset says `{taishi_memory()}`, or `{taishi_memory("a question of its own")}`. */
export const FUNCTION = "taishi_memory";

export function useChatLuna(ctx: Context, memory: TaishiMemory): void {
  const { promptRenderer } = (ctx as unknown as { chatluna: { promptRenderer: PromptRenderer } }).chatluna;
  const unregister = promptRenderer.registerFunctionProvider(FUNCTION, async (args, variables, { session }) => {
    if (!session) return "";
    const query = args[0] || String(variables["prompt"] ?? "");
    return memory.context(session as Session, query || undefined);
  });
  ctx.on("dispose", unregister);
  const afterChat: AfterChat = async (_id, _source, _reply, _variables, _chat, session) => {
    if (session) ctx.setTimeout(() => void memory.endTurn(session), 0); // the reply is sent after this event
  };
  ctx.on("chatluna/after-chat" as "dispose", afterChat as unknown as () => Promise<void>);
}
