/** The commands `memory` (记忆) and `memory.forget` (忘记我). */
import type { Context, Session } from "koishi";
import { TaishiError } from "@taishi/client";
import { en, zh } from "./locales.js";
import type { TaishiMemory } from "./memory.js";
import { userOf } from "./session.js";

const MOST_LINES = 20;
const MOST_EVENTS = 10;
const CONFIRMED = /^(?:yes|y|是|是的|确认|确定)$/i;

export function addCommands(ctx: Context, memory: TaishiMemory): void {
  ctx.i18n.define("zh-CN", zh);
  ctx.i18n.define("en-US", en);
  ctx.command("memory").alias("记忆").action(async ({ session }) => session && answer(session, () => known(session, memory)));
  ctx
    .command("memory.forget")
    .alias("忘记我")
    .action(async ({ session }) => session && answer(session, () => forget(session, memory)));
}

/** What memory knows of whoever asks, as far as this chat may see it. */
async function known(session: Session, memory: TaishiMemory): Promise<string> {
  const lines = [...(await profileLines(session, memory)), ...(await factLines(session, memory))];
  const shown = new Set([...new Set(lines)].slice(0, MOST_LINES));
  for (const line of await eventLines(session, memory)) shown.add(line);
  if (!shown.size) return session.text("taishi.nothing");
  return [session.text("taishi.known"), ...[...shown].map((line) => `- ${line}`)].join("\n");
}

async function profileLines(session: Session, memory: TaishiMemory): Promise<string[]> {
  try {
    const page = await memory.clientOf(session).getProfile("user", userOf(session));
    const bullets = page.body.split("\n").filter((line) => line.startsWith("- "));
    return bullets.map((line) => line.slice(2).trim());
  } catch (error) {
    if (error instanceof TaishiError && error.status === 404) return [];
    throw error;
  }
}

async function factLines(session: Session, memory: TaishiMemory): Promise<string[]> {
  const lines: string[] = [];
  for await (const record of memory.clientOf(session).records({ kinds: ["fact"], limit: 1000 })) {
    if (record.user === userOf(session) && record.state === "approved") lines.push(record.text);
    if (lines.length === MOST_LINES) break;
  }
  return lines;
}

/** The latest things they said here: some are told in no fact. */
async function eventLines(session: Session, memory: TaishiMemory): Promise<string[]> {
  const query = { kinds: ["event" as const], person: userOf(session), limit: MOST_EVENTS };
  return (await memory.clientOf(session).browse(query)).items.map((record) => record.text);
}

async function forget(session: Session, memory: TaishiMemory): Promise<string> {
  await session.send(session.text("taishi.confirm"));
  const said = (await session.prompt()) ?? "";
  if (!CONFIRMED.test(said.trim())) return session.text("taishi.kept");
  const removed = await memory.forget(session);
  return session.text("taishi.forgotten", [removed]);
}

/** An error is said in a sentence; its details are for the log of the server. */
async function answer(session: Session, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TaishiError) return session.text("taishi.failed", [error.detail || error.title]);
    throw error;
  }
}
