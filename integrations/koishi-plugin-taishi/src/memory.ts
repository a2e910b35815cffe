/** The service `ctx.taishi`: what the chats said goes out, what matters for a reply comes back. */
import type { Context, Logger, Session } from "koishi";
import { Taishi } from "@taishi/client";
import type { Config } from "./config.js";
import { Conversations, type Exchange } from "./conversations.js";
import { botNameOf, chatKey, messageOf, plainText, scopeOf, userOf } from "./session.js";

export class TaishiMemory {
  /** For whatever this plugin does not do; choose a scope with `clientOf`. */
  readonly client: Taishi;
  private readonly conversations = new Conversations();
  private readonly timers = new Map<string, () => void>();
  private readonly sending = new Set<Promise<void>>();
  private readonly log: Logger;

  constructor(
    private readonly ctx: Context,
    private readonly config: Config,
  ) {
    this.log = ctx.logger("taishi");
    this.client = new Taishi({
      baseUrl: config.endpoint.replace(/\/+$/, ""),
      apiKey: config.apiKey || undefined,
      timeoutMs: config.timeoutSeconds * 1000,
    });
  }

  clientOf(session: Session): Taishi {
    return this.client.withScope(scopeOf(session, this.config.workspace));
  }

  /** The block for the prompt of a reply; empty when nothing is known, or memory does not answer. */
  async context(session: Session, query: string = plainText(session)): Promise<string> {
    if (!query.trim()) return "";
    try {
      const signal = AbortSignal.timeout(this.config.timeoutSeconds * 1000);
      const options = { max_tokens: this.config.maxTokens };
      return (await this.clientOf(session).context(query, options, { signal })).block;
    } catch (error) {
      this.log.warn("no memory for this reply: %s", reasonOf(error));
      return "";
    }
  }

  /** A person said something. */
  heard(session: Session): void {
    const message = messageOf(session);
    if (!message.text || !this.isRecorded(session)) return;
    this.conversations.add(chatKey(session), {
      scope: scopeOf(session, this.config.workspace),
      messages: [message],
      groupName: session.isDirect ? undefined : session.event.guild?.name || session.event.channel?.name,
      botName: botNameOf(session),
    });
    this.wait(chatKey(session));
  }

  /** The bot said something. */
  replied(session: Session): void {
    const text = plainText(session);
    const chat = chatKey(session);
    if (!text || !this.isRecorded(session) || !this.conversations.count(chat)) return;
    this.conversations.answer(chat, { text, speaker: botNameOf(session) });
    this.wait(chat);
  }

  /** What was heard was a command. */
  drop(session: Session): void {
    if (session.messageId) this.conversations.drop(chatKey(session), session.messageId);
  }

  /** The turn is over: send what waits in this chat now. */
  async endTurn(session: Session): Promise<void> {
    await this.send(chatKey(session));
  }

  /** Forget this person everywhere; how many records went. */
  async forget(session: Session): Promise<number> {
    const user = userOf(session);
    this.conversations.dropUser(user);
    await Promise.all(this.sending);
    const { workspace } = this.config;
    const { removed } = await this.client.withScope({ user, ...(workspace ? { workspace } : {}) }).forget();
    return removed;
  }

  /** Send everything that waits. */
  async flush(): Promise<void> {
    await Promise.all(this.conversations.chats().map((chat) => this.send(chat)));
    await Promise.all(this.sending);
  }

  private isRecorded(session: Session): boolean {
    return session.isDirect || this.config.recordGroups;
  }

  /** A pause ends the turn; so does a long row of messages without one. */
  private wait(chat: string): void {
    this.timers.get(chat)?.();
    if (this.conversations.count(chat) >= this.config.mostMessages) {
      void this.send(chat);
      return;
    }
    this.timers.set(chat, this.ctx.setTimeout(() => void this.send(chat), this.config.pauseSeconds * 1000));
  }

  private send(chat: string): Promise<void> {
    this.timers.get(chat)?.();
    this.timers.delete(chat);
    const work = this.consider(this.conversations.take(chat));
    this.sending.add(work);
    return work.finally(() => this.sending.delete(work));
  }

  private async consider(exchanges: Exchange[]): Promise<void> {
    for (const { scope, messages, groupName, botName } of exchanges) {
      const said = messages.filter((message) => message.speaker_id).at(-1);
      const details = {
        time: said?.time,
        sender_name: said?.speaker,
        bot_name: botName,
        group_name: groupName,
      };
      try {
        await this.client.withScope(scope).consider(messages, details);
      } catch (error) {
        this.log.warn("%d messages were not recorded: %s", messages.length, reasonOf(error));
      }
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
