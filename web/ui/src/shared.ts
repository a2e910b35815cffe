/** Shared memory: what agents proposed to everybody in the workspace, and what is said to it. */
import { api, unwrap, type Conflict, type Memory, type Who } from "./api";
import { isNarrow, mayWrite } from "./context";
import { t, type Key } from "./i18n";
import { scopeOf, type Place, type ScopeParams } from "./place";

/** As whom one looks: as a person of the workspace, or with a narrow key as the one it is for. */
export function sharedScope(who: Who, place: Place): ScopeParams {
  return isNarrow(who) ? scopeOf(place) : { shared: true, workspace: place.workspace };
}

/** Whether proposals are for this key to decide; the server has the last word (shared.coordinators). */
export function seesProposals(who: Who): boolean {
  return !isNarrow(who);
}

export function mayDecide(who: Who): boolean {
  return seesProposals(who) && mayWrite(who);
}

export interface SharedInfo {
  type: string;
  topic: string;
  by: string;
}

/** What makes a record an entry of shared memory; null: it is none. */
export function sharedInfo(record: Pick<Memory, "metadata">): SharedInfo | null {
  const value = record.metadata["shared"];
  if (!value || typeof value !== "object") return null;
  const data = value as Record<string, unknown>;
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  return { type: text("type"), topic: text("topic"), by: text("by") };
}

/** Who wrote it, for people. A chat is known to shared memory by a mark alone; whose it is, the record says. */
export function writerName(by: string, record: Pick<Memory, "speaker" | "user">): string {
  if (by === "host") return t("writer_host");
  if (by === "person") return t("writer_person");
  if (!by.startsWith("chat:")) return by;
  const name = record.speaker || record.user;
  return name ? t("writer_chat_of", { name }) : t("writer_chat");
}

const TYPES: Record<string, Key> = {
  project_context: "shared_project_context",
  decision_record: "shared_decision_record",
  convention: "shared_convention",
  known_issue: "shared_known_issue",
  user_preference: "shared_user_preference",
  procedure: "kind_procedure",
};

export function sharedType(type: string): Key {
  return TYPES[type] ?? "kind_shared";
}

export async function waitingEntries(who: Who, place: Place): Promise<Memory[]> {
  if (!seesProposals(who)) return [];
  const query = { ...sharedScope(who, place), states: ["candidate", "conflict"] as never, limit: 1000 };
  return (await unwrap(api.GET("/v1/shared", { params: { query } }))).entries;
}

/** Pairs that contradict each other; the newer is second. */
export async function sharedConflicts(who: Who, place: Place): Promise<Conflict[]> {
  if (!seesProposals(who)) return [];
  return (await unwrap(api.GET("/v1/shared/conflicts", { params: { query: sharedScope(who, place) } }))).conflicts;
}

/** The state that follows: what is approved against another entry is a conflict. */
export async function approveShared(who: Who, place: Place, id: string): Promise<string> {
  const body = { scope: sharedScope(who, place) } as never;
  return (await unwrap(api.POST("/v1/shared/{id}/approve", { params: { path: { id } }, body }))).state;
}

export async function rejectShared(who: Who, place: Place, id: string): Promise<void> {
  const body = { scope: sharedScope(who, place) } as never;
  await unwrap(api.POST("/v1/shared/{id}/reject", { params: { path: { id } }, body }));
}

export async function replaceShared(who: Who, place: Place, id: string, text: string): Promise<string> {
  const body = { scope: sharedScope(who, place), text } as never;
  return (await unwrap(api.POST("/v1/shared/{id}/supersede", { params: { path: { id } }, body }))).id ?? id;
}

export async function resolveShared(who: Who, place: Place, keep: string, drop: string, both: boolean): Promise<void> {
  const body = { scope: sharedScope(who, place), keep, drop, both } as never;
  await unwrap(api.POST("/v1/shared/conflicts/resolve", { body }));
}
