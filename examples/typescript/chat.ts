/**
 * A chat that remembers, in twenty lines: recall before the reply, the end of the turn after it.
 *
 *     python integrations/build_packages.py   # in the clone of this repository
 *     npm install CLONE/build/npm/taishi-client-0.1.0.tgz
 *     taishi serve &                      # prints the address
 *     TAISHI_ADDRESS=http://127.0.0.1:8321 node chat.js
 */
import { Taishi } from "@taishi/client";

const memory = new Taishi({
  baseUrl: process.env["TAISHI_ADDRESS"] ?? "http://127.0.0.1:8321",
  apiKey: process.env["TAISHI_API_KEY"],
});

async function turn(user: string, said: string): Promise<string> {
  const chat = memory.withScope({ user });
  const { block } = await chat.context(said);
  const prompt = `${block}\n\n${said}`; // what your model gets as the user's message
  const reply = block ? "I remember that." : "Tell me more.";
  // What the bot did, in a sentence; what the person said is `new_info`.
  const action_summary = block ? "I answered from memory" : "I asked about Mia";
  await chat.endTurn({ new_info: said, action_summary, sender_name: user, wait: 5 });
  return `${prompt.trim()}\n-> ${reply}`;
}

console.log(await turn("ann", "My sister Mia lives in Bergen."));
console.log(await turn("ann", "Where does Mia live?"));
