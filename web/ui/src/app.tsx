/** The frame: signing in, whose memory, where to go, and that it follows what changes. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { api, TaishiError, SIGNED_OUT, unwrap, type Partition, type Who } from "./api";
import { AppContext, isNarrow } from "./context";
import { ErrorBox, Loading } from "./components/basics";
import { Toasts } from "./components/toasts";
import { setZone } from "./format";
import { onLanguage } from "./i18n";
import { follow } from "./live";
import { placeKey, scopeOf, type Place, type PlaceKind } from "./place";
import { useResource } from "./resource";
import { go, useRoute } from "./router";
import { waitingEntries } from "./shared";
import { Shell } from "./shell";
import { ActivityPage } from "./pages/activity";
import { ChatPage } from "./pages/chat";
import { FirstSteps } from "./pages/first_steps";
import { JobsPage } from "./pages/jobs";
import { KnowledgePage } from "./pages/knowledge";
import { MemoryPage } from "./pages/memory";
import { NoSuchPage } from "./pages/no_such_page";
import { NoSuchPlace } from "./pages/no_such_place";
import { ProfilesPage } from "./pages/profiles";
import { RecallPage } from "./pages/recall";
import { ReviewPage } from "./pages/review";
import { SettingsPage } from "./pages/settings";
import { SignInPage } from "./pages/sign_in";

const PAGES: Record<string, () => preact.JSX.Element> = {
  memory: MemoryPage,
  review: ReviewPage,
  knowledge: KnowledgePage,
  profiles: ProfilesPage,
  recall: RecallPage,
  chat: ChatPage,
  activity: ActivityPage,
  jobs: JobsPage,
  settings: SettingsPage,
};

export function App() {
  const [who, setWho] = useState<Who | null | undefined>(undefined);
  const [error, setError] = useState<Error>();
  const [, redraw] = useState(0);
  useEffect(() => onLanguage(() => redraw((count) => count + 1)), []);

  const ask = useCallback(() => {
    setError(undefined);
    unwrap(api.GET("/v1/whoami")).then(setWho, (problem: Error) => {
      if (problem instanceof TaishiError && problem.status === 401) setWho(null);
      else setError(problem);
    });
  }, []);
  useEffect(ask, []);
  useEffect(() => {
    const ended = () => setWho(null);
    addEventListener(SIGNED_OUT, ended);
    return () => removeEventListener(SIGNED_OUT, ended);
  }, []);

  let content = <Loading />;
  if (error) content = <main class="centred"><ErrorBox error={error} retry={ask} /></main>;
  else if (who === null) content = <SignInPage onDone={ask} />;
  else if (who) content = <SignedIn who={who} onSignedOut={() => setWho(null)} />;
  return (
    <>
      {content}
      <Toasts />
    </>
  );
}

function SignedIn({ who, onSignedOut }: { who: Who; onSignedOut: () => void }) {
  const route = useRoute();
  const [version, setVersion] = useState(0);
  const [online, setOnline] = useState(true);
  const refresh = useCallback(() => setVersion((count) => count + 1), []);
  const workspace = route.place?.workspace ?? who.workspace ?? "default";
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set()); // places that are known, or were asked for
  const partitions = usePartitions(workspace, version);
  const asked = route.place ? placeKey(route.place) : "";
  const isNamed = route.params.has("place");
  const isThere = !isNamed || Boolean(route.place && (!partitions.list || isListed(route.place, partitions.list) || opened.has(asked) || isNarrow(who)));
  useEffect(() => {
    if (asked && isThere && partitions.list) setOpened((was) => (was.has(asked) ? was : new Set([...was, asked])));
  }, [asked, isThere, partitions.list]);
  const place = useMemo(
    () => (isNamed ? (isThere ? route.place : null) : firstOf(partitions.list, workspace)),
    [asked, isNamed, isThere, partitions.list, workspace],
  );
  const key = place ? placeKey(place) : "";
  useEffect(() => (place ? follow(place, refresh, setOnline) : undefined), [key]);
  useEffect(() => {
    if (!isNamed && place) go(route.page, place, Object.fromEntries(route.params));
  }, [key, route.page]);
  const { data: summary } = useResource(
    `summary ${key}`,
    async () => (place ? unwrap(api.GET("/v1/summary", { params: { query: scopeOf(place) } })) : undefined),
    version,
  );
  if (summary) setZone(summary.timezone);
  const { data: proposals } = useResource(
    `proposals ${key}`,
    async () => (place && place.kind !== "workspace" ? (await waitingEntries(who, place)).length : 0),
    version,
  );
  const placeName = partitions.list?.find((one) => one.kind === place?.kind && one.id === place.id)?.name ?? "";
  const state = useMemo(
    () => (place ? { who, place, placeName, version, refresh, summary } : null),
    [who, key, placeName, version, summary],
  );

  const Page = PAGES[route.page];
  let content = <Loading />;
  if (partitions.error && !partitions.list) content = <ErrorBox error={partitions.error} retry={refresh} />;
  else if (!isThere && partitions.list) {
    const open = route.place ? () => setOpened((was) => new Set([...was, asked])) : undefined;
    content = <NoSuchPlace named={route.params.get("place") ?? ""} onOpen={open} />;
  } else if (!Page) content = <NoSuchPage named={route.page} place={place} />;
  else if (state) content = <Page key={`${route.page} ${key}`} />;
  else if (partitions.list) content = <FirstSteps />;
  return (
    <AppContext.Provider value={state}>
      <Shell
        who={who}
        page={route.page}
        place={place}
        partitions={partitions.list ?? []}
        online={online}
        waiting={(summary?.states["candidate"] ?? 0) + (summary?.states["conflict"] ?? 0) + (proposals ?? 0)}
        onSignedOut={onSignedOut}
      >
        {content}
      </Shell>
    </AppContext.Provider>
  );
}

/** Whether there is such a place: nobody shall take an address with a slip in it for somebody's memory. */
function isListed(place: Place, list: Partition[]): boolean {
  return place.kind === "workspace" || list.some((one) => one.kind === place.kind && one.id === place.id);
}

function usePartitions(workspace: string, version: number): { list?: Partition[]; error?: Error } {
  const [state, setState] = useState<{ workspace?: string; list?: Partition[]; error?: Error }>({});
  useEffect(() => {
    let current = true;
    unwrap(api.GET("/v1/partitions", { params: { query: { workspace } } })).then(
      ({ partitions }) => current && setState({ workspace, list: partitions }),
      (error: Error) => current && setState((was) => ({ ...was, workspace, error })),
    );
    return () => {
      current = false;
    };
  }, [workspace, version]);
  return state.workspace === workspace ? state : {};
}

/** The one with the newest memory: most likely what somebody came to see. */
function firstOf(list: Partition[] | undefined, workspace: string): Place | null {
  const newest = [...(list ?? [])].sort((a, b) => (b.last_time ?? "").localeCompare(a.last_time ?? ""))[0];
  return newest ? { workspace, kind: newest.kind as PlaceKind, id: newest.id } : null;
}
