/** What a user sets on Koishi's plugin page. */
import { Schema } from "koishi";

export interface Config {
  endpoint: string;
  apiKey: string;
  workspace: string;
  maxTokens: number;
  recordGroups: boolean;
  pauseSeconds: number;
  mostMessages: number;
  timeoutSeconds: number;
}

export const Config: Schema<Config> = Schema.object({
  endpoint: Schema.string().role("link").default("http://127.0.0.1:8321"),
  apiKey: Schema.string().role("secret").default(""),
  workspace: Schema.string().default(""),
  maxTokens: Schema.natural().default(1200),
  recordGroups: Schema.boolean().default(true),
  pauseSeconds: Schema.number().min(0).max(600).default(10),
  mostMessages: Schema.natural().min(1).max(50).default(10),
  timeoutSeconds: Schema.number().min(0.1).max(60).default(5),
}).i18n({
  "zh-CN": {
    endpoint: "太史服务的地址（在那里运行 `taishi serve`）。",
    apiKey: "API 密钥（`taishi keys create` 生成）；服务没有设置密钥时留空。",
    workspace: "工作区；留空为默认工作区。",
    maxTokens: "放进提示词的记忆最多占多少 token。",
    recordGroups: "是否记录群聊。",
    pauseSeconds: "一段对话安静多少秒后，交给太史判断有没有值得记住的事。",
    mostMessages: "没有停顿时，最多积累多少条消息就交给太史。",
    timeoutSeconds: "等待太史回答的秒数；超时则不带记忆继续回复。",
  },
  "en-US": {
    endpoint: "Where `taishi serve` listens.",
    apiKey: "An API key (from `taishi keys create`); empty if the server has none.",
    workspace: "The workspace; empty for the default one.",
    maxTokens: "Most tokens that memory takes in a prompt.",
    recordGroups: "Whether group chats are recorded.",
    pauseSeconds: "After so many quiet seconds, Taishi decides whether anything is worth keeping.",
    mostMessages: "Without a pause, so many messages are sent at once.",
    timeoutSeconds: "How long to wait for Taishi; then the reply goes on without memory.",
  },
});
