/** The plugin in a real Koishi, with its mock platform and ChatLuna's own prompt renderer. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { App, type Context, type Session } from "koishi";
import { MockBot } from "@koishijs/plugin-mock";
import * as taishi from "koishi-plugin-taishi";
import { ADDRESS, KEY, connect, settled } from "./support.cjs";

interface Said {
  time: string;
  chat: string;
  user: string;
  text: string;
  reply?: string;
  expects?: string[];
}
interface Chat {
  group?: string;
  user?: string;
  name?: string;
  markers: string[];
}
interface Week {
  bot: { id: string; name: string };
  people: Record<string, { name: string }>;
  chats: Record<string, Chat>;
  turns: Said[];
  questions: Said[];
}
const WEEK = JSON.parse(readFileSync(process.env["SCRIPTED_WEEK"] ?? "", "utf8")) as Week;

/** Its own declarations cannot be read by Node's rules for modules. */
interface ChatLuna {
  ChatLunaPromptRenderService: new () => {
    renderTemplate(source: string, variables: object, options: { configurable?: object }): Promise<{ text: string }>;
  };
}

/** Stands for any plugin that answers with a model: what it would send to it, and what it says. */
const answering = { prompt: "", reply: "" };
const answerer = {
  name: "answerer",
  inject: ["taishi"],
  apply(ctx: Context) {
    ctx.middleware(async (session) => {
      answering.prompt = await ctx.taishi.context(session);
      return answering.reply || "…";
    });
  },
};

function config(options: Partial<taishi.Config> = {}): taishi.Config {
  return taishi.Config({ endpoint: ADDRESS, apiKey: KEY, pauseSeconds: 600, ...options } as taishi.Config);
}

async function started(locale = "zh-CN", options: Partial<taishi.Config> = {}): Promise<App> {
  const app = new App({ i18n: { locales: [locale] } });
  app.plugin(MockBot, { selfId: WEEK.bot.id });
  app.plugin(taishi, config(options));
  app.plugin(answerer);
  await app.start();
  app.mock.bots[0]!.user = { id: WEEK.bot.id, name: WEEK.bot.name };
  return app;
}

/** Say it in a chat; what the bot would have sent to its model. */
async function say(app: App, said: Said, chat: Chat, user = said.user): Promise<string> {
  const client = app.mock.client(user, chat.group);
  client.event.user = { id: user, name: WEEK.people[user]?.name ?? user };
  client.event.timestamp = Date.parse(said.time);
  if (client.event.guild && chat.name) client.event.guild.name = chat.name;
  answering.reply = said.reply ?? "…";
  await client.receive(said.text);
  return answering.prompt;
}

let app: App;
before(async () => {
  app = await started();
});
after(() => app.stop());

test("what was told on Monday is in the prompt on Friday, and nothing crosses chats", async () => {
  for (const turn of WEEK.turns) await say(app, turn, WEEK.chats[turn.chat]!);
  await app.taishi.flush();
  await settled(connect({}));
  for (const question of WEEK.questions) {
    for (const [name, chat] of Object.entries(WEEK.chats)) {
      const isHere = name === question.chat;
      const prompt = await say(app, question, chat, isHere ? question.user : (chat.user ?? question.user));
      if (isHere) for (const word of question.expects ?? []) assert.ok(prompt.includes(word), `${name}: ${word} is not in\n${prompt}`);
      const others = Object.values(WEEK.chats).filter((other) => other !== chat);
      const strangers = others.flatMap((other) => other.markers).filter((word) => prompt.includes(word));
      assert.deepEqual(strangers, [], `${name}:\n${prompt}`);
    }
  }
});

test("a pause ends the turn, and so does a long row of messages", async () => {
  const quick = await started("zh-CN", { pauseSeconds: 0.05 });
  try {
    await say(quick, { ...WEEK.turns[0]!, text: "我喜欢海边的灯塔。" }, { markers: [] }, "2001");
    await until(async () => (await connect({ user: "mock:2001" }).recall("灯塔")).hits.length > 0);
  } finally {
    await quick.stop();
  }
  const busy = await started("zh-CN", { mostMessages: 2 });
  try {
    await say(busy, { ...WEEK.turns[0]!, text: "我喜欢北方的森林。" }, { markers: [] }, "2002");
    await until(async () => (await connect({ user: "mock:2002" }).recall("森林")).hits.length > 0);
  } finally {
    await busy.stop();
  }
});

test("each speaker of a group is recorded as themselves", async () => {
  const chat = { group: "3000", name: "读书会", markers: [] };
  await say(app, { ...WEEK.turns[0]!, text: "我喜欢红楼梦。" }, chat, "1001");
  await say(app, { ...WEEK.turns[0]!, text: "我喜欢水浒传。" }, chat, "1002");
  await app.taishi.flush();
  await settled(connect({}));
  const client = connect({ group: "mock:3000", user: "mock:1001" });
  const owners = new Map<string, string | null>();
  for await (const record of client.records({ kinds: ["event"] })) owners.set(record.text, record.user);
  for (const [book, user] of [["红楼梦", "mock:1001"], ["水浒传", "mock:1002"]] as const) {
    const texts = [...owners].filter(([text]) => text.includes(book));
    assert.ok(texts.length > 0 && texts.every(([, owner]) => owner === user), JSON.stringify([...owners]));
  }
});

test("the command also lists the latest events of the person who asks, and of nobody else", async () => {
  for (const [user, text] of [["3001", "下周三去修钟楼。"], ["3002", "下周四去看瀑布。"]] as const) {
    const client = connect({ group: "mock:3100", user: `mock:${user}` });
    await client.remember(text, { kind: "event" });
  }
  const [said = ""] = await app.mock.client("3001", "3100").receive("记忆");
  assert.match(said, /修钟楼/);
  assert.doesNotMatch(said, /瀑布/);
});

test("the command says what is known, in the language of the chat, and is no part of the memory", async () => {
  const client = app.mock.client("1001");
  const [said = ""] = await client.receive("记忆");
  assert.match(said, /我记得这些/);
  assert.match(said, /墨水/);
  const english = await started("en-US");
  try {
    const [nothing] = await english.mock.client("nobody").receive("memory");
    assert.equal(nothing, "I do not remember anything about you yet.");
    await english.taishi.flush();
    assert.equal((await connect({ user: "mock:nobody" }).listRecords()).items.length, 0);
  } finally {
    await english.stop();
  }
});

test("forgetting asks first; then the person is gone from private chats and groups", async () => {
  const client = app.mock.client("1002");
  assert.match((await client.receive("忘记我", 1))[0] ?? "", /确定吗/);
  assert.match((await client.receive("不", 1))[0] ?? "", /没有删除/);
  assert.ok((await connect({ user: "mock:1002" }).recall("吉他")).hits.length > 0);
  assert.match((await client.receive("忘记我", 1))[0] ?? "", /确定吗/);
  assert.match((await client.receive("确认", 1))[0] ?? "", /已经忘掉了/);
  assert.equal((await connect({ user: "mock:1002" }).recall("吉他")).hits.length, 0);
  const group = connect({ group: "mock:900100", user: "mock:1001" });
  assert.ok(!(await group.recall("周六在哪里集合")).hits.some((hit) => hit.text.includes("东湖码头")));
});

test("ChatLuna: the preset's function gives the block, and the end of a chat ends the turn", async () => {
  const { ChatLunaPromptRenderService } = require("koishi-plugin-chatluna/services/chat") as ChatLuna;
  const promptRenderer = new ChatLunaPromptRenderService();
  const luna = new App();
  luna.plugin(MockBot, { selfId: WEEK.bot.id });
  luna.plugin(taishi, config());
  luna.provide("chatluna");
  luna.set("chatluna", { promptRenderer });
  await luna.start();
  try {
    const heard: Session[] = [];
    luna.middleware((session, next) => (heard.push(session), next()));
    await luna.mock.client("1001").receive("我的猫叫什么？");
    const [session] = heard;
    const render = (template: string) =>
      promptRenderer.renderTemplate(template, { prompt: "我的猫叫什么？" }, { configurable: { session } });
    assert.match((await render("<{taishi_memory()}>")).text, /^<[^]*墨水[^]*>$/);
    assert.doesNotMatch((await render('{taishi_memory("What is the release branch called?")}')).text, /kingfisher/);
    assert.equal((await promptRenderer.renderTemplate("<{taishi_memory()}>", {}, {})).text, "<>");
    await luna.mock.client("4001").receive("我打算学骑马。");
    const event = luna.parallel as (...args: unknown[]) => Promise<void>;
    await event.call(luna, "chatluna/after-chat", "c", {}, {}, {}, {}, heard.at(-1));
    await until(async () => (await connect({ user: "mock:4001" }).recall("骑马")).hits.length > 0);
  } finally {
    await luna.stop();
  }
});

test("a memory that is away does not keep the bot from answering", async () => {
  const alone = await started("zh-CN", { endpoint: "http://127.0.0.1:9", timeoutSeconds: 0.3 });
  try {
    answering.prompt = "unset";
    answering.reply = "在呢。";
    assert.deepEqual(await alone.mock.client("1001").receive("你好"), ["在呢。"]);
    assert.equal(answering.prompt, "");
    assert.match((await alone.mock.client("1001").receive("记忆"))[0] ?? "", /记忆服务出了问题/);
  } finally {
    await alone.stop();
  }
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("it did not come true");
}
