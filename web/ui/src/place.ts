/** Whose memory is looked at: exactly one chat, group, agent, or what the workspace shares. */
export type PlaceKind = "private" | "group" | "agent" | "workspace";

export interface Place {
  workspace: string;
  kind: PlaceKind;
  id: string;
}

export interface ScopeParams {
  user?: string;
  group?: string;
  agent?: string;
  shared?: boolean;
  workspace: string;
}

export function scopeOf(place: Place): ScopeParams {
  const workspace = place.workspace;
  if (place.kind === "workspace") return { shared: true, workspace };
  const names = { private: "user", group: "group", agent: "agent" } as const;
  return { [names[place.kind]]: place.id, workspace };
}

export function placeKey(place: Place): string {
  return `${place.kind}:${place.id}@${place.workspace}`;
}

const KINDS: readonly string[] = ["private", "group", "agent", "workspace"];

export function placeFrom(params: URLSearchParams): Place | null {
  const [kind = "", ...rest] = (params.get("place") ?? "").split(":");
  const id = rest.join(":");
  if (!KINDS.includes(kind) || (kind !== "workspace" && !id)) return null;
  return { kind: kind as PlaceKind, id, workspace: params.get("workspace") || "default" };
}
