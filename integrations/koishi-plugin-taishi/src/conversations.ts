/** The messages of each chat that were not sent to memory yet, grouped by who spoke. */
import type { Message, Scope } from "@taishi/client";

/** A person's messages in a row, and what the bot answered to them. */
export interface Exchange {
  scope: Scope;
  messages: Message[];
  groupName: string | undefined;
  botName: string;
}

export class Conversations {
  private readonly waiting = new Map<string, Exchange[]>();

  /** How many messages of persons and the bot wait in that chat. */
  count(chat: string): number {
    return (this.waiting.get(chat) ?? []).reduce((sum, one) => sum + one.messages.length, 0);
  }

  add(chat: string, exchange: Exchange): void {
    const exchanges = this.waiting.get(chat) ?? [];
    const last = exchanges.at(-1);
    if (last && last.scope.user === exchange.scope.user) last.messages.push(...exchange.messages);
    else exchanges.push(exchange);
    this.waiting.set(chat, exchanges);
  }

  /** The bot answered; what it says where nobody spoke to it is nobody's turn. */
  answer(chat: string, message: Message): void {
    this.waiting.get(chat)?.at(-1)?.messages.push(message);
  }

  /** Take a message back: it was a command. */
  drop(chat: string, id: string): void {
    const left = (this.waiting.get(chat) ?? [])
      .map((one) => ({ ...one, messages: one.messages.filter((message) => message.id !== id) }))
      .filter((one) => one.messages.some((message) => message.speaker_id));
    if (left.length) this.waiting.set(chat, left);
    else this.waiting.delete(chat);
  }

  /** Nothing of that person waits any longer, in any chat. */
  dropUser(user: string): void {
    for (const [chat, exchanges] of this.waiting) {
      this.waiting.set(chat, exchanges.filter((one) => one.scope.user !== user));
    }
  }

  take(chat: string): Exchange[] {
    const exchanges = this.waiting.get(chat) ?? [];
    this.waiting.delete(chat);
    return exchanges;
  }

  chats(): string[] {
    return [...this.waiting.keys()];
  }
}
