/** Which memory a Koishi session belongs to, and what was said in it. */
import { h, type Session } from "koishi";
import type { Message, Scope } from "@taishi/client";

/** Ids are those of the platform, with its name before them: 1001 on two platforms is two people. */
export function userOf(session: Session): string {
  return `${session.platform}:${session.userId}`;
}

/** A group is one channel: channels of one server may have different members. */
export function scopeOf(session: Session, workspace: string): Scope {
  const base: Scope = workspace ? { workspace } : {};
  if (session.isDirect) return { ...base, user: userOf(session) };
  return { ...base, group: `${session.platform}:${session.channelId}`, user: userOf(session) };
}

export function chatKey(session: Session): string {
  return `${session.platform}:${session.selfId}:${session.channelId}`;
}

export function isFromPerson(session: Session): boolean {
  return Boolean(session.userId) && session.userId !== session.selfId && !session.author?.isBot;
}

/** What was said, without pictures, mentions and other elements. */
export function plainText(session: Session): string {
  const elements = session.elements ?? h.parse(session.content ?? "");
  return h.select(elements, "text").map((element: h) => String(element.attrs["content"] ?? "")).join("").trim();
}

export function nameOf(session: Session): string {
  return session.author?.nick || session.author?.name || session.username || session.userId || "user";
}

export function botNameOf(session: Session): string {
  return session.bot?.user?.name || "bot";
}

export function messageOf(session: Session): Message {
  return {
    text: plainText(session),
    speaker: nameOf(session),
    speaker_id: userOf(session),
    time: session.timestamp ? session.timestamp / 1000 : undefined,
    id: session.messageId,
  };
}
