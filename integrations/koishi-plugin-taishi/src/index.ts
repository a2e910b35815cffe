/** A long-term memory for Koishi bots, over the REST interface of `taishi serve`. */
import { Context } from "koishi";
import { useChatLuna } from "./chatluna.js";
import { addCommands } from "./commands.js";
import { Config } from "./config.js";
import { TaishiMemory } from "./memory.js";
import { isFromPerson } from "./session.js";

export { Config, TaishiMemory };
export const name = "taishi";
export const inject = { chatluna: { required: false } };

declare module "koishi" {
  interface Context {
    taishi: TaishiMemory;
  }
}

export function apply(ctx: Context, config: Config): void {
  const memory = new TaishiMemory(ctx, config);
  ctx.provide("taishi");
  ctx.set("taishi", memory);
  // First of all, so that what the bot says comes after it.
  ctx.middleware((session, next) => {
    if (isFromPerson(session)) memory.heard(session);
    return next();
  }, true);
  ctx.on("command/before-execute", ({ session }) => {
    if (session) memory.drop(session);
  });
  // Not every adapter says that it has sent something; all of them say that they are about to.
  ctx.before("send", (session) => memory.replied(session));
  ctx.on("dispose", () => memory.flush());
  addCommands(ctx, memory);
  ctx.inject(["chatluna"], (inner) => useChatLuna(inner, memory));
}
