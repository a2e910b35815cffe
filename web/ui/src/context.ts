/** What every page knows: who asks, whose memory it is, and that something changed. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Summary, Who } from "./api";
import type { Place } from "./place";

export interface AppState {
  who: Who;
  place: Place;
  /** What the place is called; "" if that is not known. */
  placeName: string;
  /** Moves with every change on the server: what depends on it reads again. */
  version: number;
  refresh: () => void;
  summary: Summary | undefined;
}

export const AppContext = createContext<AppState | null>(null);

export function useApp(): AppState {
  const state = useContext(AppContext);
  if (!state) throw new Error("used outside of the app");
  return state;
}

export function mayWrite(who: Who): boolean {
  return who.rights !== "read";
}

/** Whether the key is for one user, group or agent. */
export function isNarrow(who: Who): boolean {
  return Boolean(who.user || who.group || who.agent);
}

/** For what concerns the whole server. */
export function isOwner(who: Who): boolean {
  return who.rights === "admin" && !who.workspace && !who.user && !who.group && !who.agent;
}

export function isWorkspaceAdmin(who: Who): boolean {
  return who.rights === "admin" && !who.user && !who.group && !who.agent;
}
