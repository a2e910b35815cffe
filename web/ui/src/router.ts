/** Where in the pages we are: in the part of the address after `#`, which no server ever sees. */
import { useEffect, useState } from "preact/hooks";
import { placeFrom, type Place } from "./place";

export interface Route {
  page: string;
  params: URLSearchParams;
  place: Place | null;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const params = new URLSearchParams(query);
  return { page: path.split("/")[0] || "memory", params, place: placeFrom(params) };
}

export function address(page: string, place: Place | null, more: Record<string, string | undefined> = {}): string {
  const params = new URLSearchParams();
  if (place) {
    params.set("place", `${place.kind}:${place.id}`);
    if (place.workspace !== "default") params.set("workspace", place.workspace);
  }
  for (const [name, value] of Object.entries(more)) if (value) params.set(name, value);
  const query = params.toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

export function go(page: string, place: Place | null, more: Record<string, string | undefined> = {}): void {
  location.hash = address(page, place, more);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
