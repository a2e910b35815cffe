/** The client of these pages: signed in by cookie, in the language of the page. */
import { createClient, TaishiError, problemOf, unwrap, type Schemas } from "@taishi/client";
import { language } from "./i18n";

export { TaishiError, problemOf, unwrap };
export type Memory = Schemas["RecordOut"];
export type Removed = Schemas["RemovedOut"];
export type Summary = Schemas["SummaryOut"];
export type Partition = Schemas["PartitionOut"];
export type Evidence = Schemas["EvidenceOut"];
export type Source = Schemas["SourceOut"];
export type Version = Schemas["VersionOut"];
export type Conflict = Schemas["ConflictOut"];
export type Profile = Schemas["ProfileOut"];
export type Recall = Schemas["RecallOut"];
export type Block = Omit<Schemas["ContextOut"], "hits">; // the pages ask for the hits apart
export type Hit = Omit<Schemas["HitOut"], "passage">;
export type Activity = Schemas["ActivityOut"];
export type Document = Schemas["DocumentOut"];
export type Chunk = Schemas["ChunkOut"];
export type MapPoint = Schemas["MapPointOut"];
export type Job = Schemas["JobOut"];
export type LedgerRow = Schemas["LedgerRow"];
export type Who = Schemas["WhoOut"];
export type ApiKey = Schemas["KeyOut"];
export type Connection = Schemas["ConnectionOut"];
export type SettingsSection = Schemas["SettingsSectionOut"];
export type Setting = Schemas["SettingOut"];

/** Beside the cookie: a page of another site cannot send it without being asked first. */
export function pageHeaders(): Record<string, string> {
  return { "X-Taishi-Pages": "1", "Accept-Language": language() };
}

export const SIGNED_OUT = "taishi:signed-out";

let signingIn = 0;
let signIns = 0;
const askedAfter = new WeakMap<Request, number>();

export const api = createClient({ headers: pageHeaders });
api.use({
  onRequest({ request }) {
    askedAfter.set(request, signIns);
  },
  onResponse({ request, response }) {
    // An answer to what was asked before the last sign-in says nothing about the present session.
    const isPresent = !signingIn && askedAfter.get(request) === signIns;
    if (response.status === 401 && isPresent) dispatchEvent(new Event(SIGNED_OUT));
  },
});

/** Makes the first key and signs in with it: what is refused in between does not end the session. */
export async function whileSigningIn<T>(work: () => Promise<T>): Promise<T> {
  signingIn += 1;
  try {
    return await work();
  } finally {
    signingIn -= 1;
    signIns += 1;
  }
}

export async function signIn(key: string): Promise<void> {
  const headers = { ...pageHeaders(), Authorization: `Bearer ${key}` };
  await checked(await fetch("/ui/session", { method: "POST", headers }));
}

export async function signOut(): Promise<void> {
  await checked(await fetch("/ui/session", { method: "DELETE", headers: pageHeaders() }));
}

async function checked(answer: Response): Promise<void> {
  if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => null));
}
