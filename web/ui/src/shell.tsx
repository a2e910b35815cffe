/** Navigation, the choice of a place, language and colours; the page itself goes inside. */
import {
  BookUser,
  Bot,
  Brain,
  ChartColumn,
  ChevronsUpDown,
  CircleCheckBig,
  Ellipsis,
  Languages,
  LibraryBig,
  LogOut,
  MessageCircle,
  Moon,
  Search,
  Settings,
  Sun,
  SunMoon,
  Target,
  User,
  Users,
  Workflow,
  type LucideIcon,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { signOut, type Partition, type Who } from "./api";
import { Dialog, Said } from "./components/basics";
import { complain } from "./components/toasts";
import { isWorkspaceAdmin } from "./context";
import { age, number } from "./format";
import { language, setLanguage, t, type Key } from "./i18n";
import { type Place, type PlaceKind } from "./place";
import { address, go } from "./router";
import { applyTheme, theme, type Theme } from "./theme";

const LINKS: { page: string; icon: LucideIcon; name: Key; admin?: boolean }[] = [
  { page: "memory", icon: Brain, name: "nav_memory" },
  { page: "review", icon: CircleCheckBig, name: "nav_review" },
  { page: "knowledge", icon: LibraryBig, name: "nav_knowledge" },
  { page: "profiles", icon: BookUser, name: "nav_profiles" },
  { page: "recall", icon: Target, name: "nav_recall" },
  { page: "chat", icon: MessageCircle, name: "nav_chat" },
  { page: "activity", icon: ChartColumn, name: "nav_activity" },
  { page: "jobs", icon: Workflow, name: "nav_jobs", admin: true },
  { page: "settings", icon: Settings, name: "nav_settings" },
];

/** What fits below a phone's page; the others are behind "More". */
const FIRST = new Set(["memory", "review", "knowledge", "profiles", "chat"]);

interface Props {
  who: Who;
  page: string;
  place: Place | null;
  partitions: Partition[];
  online: boolean;
  waiting: number;
  onSignedOut: () => void;
  children: ComponentChildren;
}

export function Shell({ who, page, place, partitions, online, waiting, onSignedOut, children }: Props) {
  const links = LINKS.filter((link) => !link.admin || isWorkspaceAdmin(who));
  const [more, setMore] = useState(false);
  const leave = () => signOut().then(onSignedOut, complain);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}>
        {t("skip")}
      </a>
      <header class="side">
        <div class="brand">
          <span class="seal" aria-hidden="true">史</span>
          <span class="brand-name">{t("brand")}</span>
          <span class={online ? "live on" : "live"} role="status" title={online ? t("live") : t("not_live")}>
            <span class="visually-hidden">{online ? t("live") : t("not_live")}</span>
          </span>
        </div>
        <PlacePicker who={who} place={place} partitions={partitions} page={page} />
        <nav aria-label={t("navigation")}>
          {links.map((link) => (
            <a key={link.page} class={FIRST.has(link.page) ? undefined : "later"} href={address(link.page, place)} aria-current={page === link.page ? "page" : undefined}>
              <link.icon size={19} aria-hidden="true" />
              <span>{t(link.name)}</span>
              {link.page === "review" && waiting > 0 && (
                <span class="count">
                  {waiting > 99 ? "99+" : waiting}
                  <span class="visually-hidden"> {t("waiting")}</span>
                </span>
              )}
            </a>
          ))}
          <button type="button" class="nav-more" aria-haspopup="dialog" aria-expanded={more} data-current={FIRST.has(page) ? undefined : "true"} onClick={() => setMore(true)}>
            <Ellipsis size={19} aria-hidden="true" />
            <span>{t("nav_more")}</span>
          </button>
        </nav>
        {more && (
          <Dialog title={t("navigation")} onClose={() => setMore(false)}>
            <ul class="plain more-pages">
              {links.filter((link) => !FIRST.has(link.page)).map((link) => (
                <li key={link.page}>
                  <a href={address(link.page, place)} aria-current={page === link.page ? "page" : undefined} onClick={() => setMore(false)}>
                    <link.icon size={19} aria-hidden="true" /> {t(link.name)}
                  </a>
                </li>
              ))}
            </ul>
          </Dialog>
        )}
        <div class="tools">
          <button
            type="button"
            class="icon-button"
            aria-label={t("other_language")}
            title={t("other_language")}
            onClick={() => setLanguage(language() === "zh" ? "en" : "zh")}
          >
            <Languages size={19} aria-hidden="true" />
          </button>
          <ThemeButton />
          {who.key && (
            <button type="button" class="icon-button" aria-label={t("sign_out")} title={t("sign_out")} onClick={leave}>
              <LogOut size={19} aria-hidden="true" />
            </button>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {!online && (
          <p class="notice gone" role="alert">
            <strong>{t(navigator.onLine ? "gone" : "offline")}</strong> {t(navigator.onLine ? "gone_words" : "offline_words")}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

function ThemeButton() {
  const [current, setCurrent] = useState<Theme>(theme);
  const order: Theme[] = ["auto", "light", "dark"];
  const next = order[(order.indexOf(current) + 1) % order.length]!;
  const Icon = { auto: SunMoon, light: Sun, dark: Moon }[current];
  const label = t({ auto: "theme_auto", light: "theme_light", dark: "theme_dark" }[current] as Key);
  const press = () => {
    applyTheme(next);
    setCurrent(next);
  };
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={press}>
      <Icon size={19} aria-hidden="true" />
    </button>
  );
}

const PLACES: Record<PlaceKind, { icon: LucideIcon; name: Key }> = {
  private: { icon: User, name: "place_private" },
  group: { icon: Users, name: "place_group" },
  agent: { icon: Bot, name: "place_agent" },
  workspace: { icon: Users, name: "place_shared" },
};

/** By name where there is one; the id stands beside it. */
function placeName(place: Pick<Place, "kind" | "id">, name = ""): string {
  return place.kind === "workspace" ? t("place_shared") : name || place.id;
}

function placeKind(place: Pick<Place, "kind" | "id">, name = "") {
  const kind = t(PLACES[place.kind].name);
  return name && name !== place.id ? <>{kind} · <Said text={place.id} /></> : kind;
}

interface PickerProps {
  who: Who;
  place: Place | null;
  partitions: Partition[];
  page: string;
}

function PlacePicker({ who, place, partitions, page }: PickerProps) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const show = () => setOpen(true);
    addEventListener(OPEN_PICKER, show);
    return () => removeEventListener(OPEN_PICKER, show);
  }, []);
  const name = partitions.find((one) => one.kind === place?.kind && one.id === place.id)?.name;
  const Icon = PLACES[place?.kind ?? "private"].icon;
  return (
    <>
      <button type="button" class="place-button" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <Icon size={18} aria-hidden="true" />
        <span class="place-words">
          <span class="place-kind">{place ? placeKind(place, name) : t("no_place")}</span>
          <span class="place-id">{place ? <Said text={placeName(place, name)} /> : t("choose_place")}</span>
        </span>
        <ChevronsUpDown size={16} aria-hidden="true" />
      </button>
      {open && <PlaceDialog who={who} place={place} partitions={partitions} page={page} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Any page may ask for the choice of a place. */
export const OPEN_PICKER = "taishi:choose-place";
const MOST_SHOWN = 200;

function PlaceDialog({ who, place, partitions, page, onClose }: PickerProps & { onClose: () => void }) {
  const [words, setWords] = useState("");
  const [workspace, setWorkspace] = useState(place?.workspace ?? "default");
  const wanted = words.trim().toLowerCase();
  const found = partitions.filter((one) => !wanted || `${one.id} ${one.name} ${t(PLACES[one.kind as PlaceKind].name)}`.toLowerCase().includes(wanted));
  const choose = (kind: string, id: string, name = place?.workspace ?? workspace) => {
    onClose();
    go(page, { workspace: name, kind: kind as PlaceKind, id });
  };
  return (
    <Dialog title={t("choose_place")} onClose={onClose}>
      <label class="search">
        <Search size={18} aria-hidden="true" />
        <span class="visually-hidden">{t("find_place")}</span>
        <input type="search" value={words} placeholder={t("find_place")} onInput={(event) => setWords(event.currentTarget.value)} autofocus />
      </label>
      <ul class="places">
        {found.slice(0, MOST_SHOWN).map((one) => {
          const look = PLACES[one.kind as PlaceKind];
          const current = place?.kind === one.kind && place.id === one.id;
          return (
            <li key={`${one.kind}:${one.id}`}>
              <button type="button" class="place-row" aria-current={current ? "true" : undefined} onClick={() => choose(one.kind, one.id)}>
                <look.icon size={18} aria-hidden="true" />
                <span class="place-words">
                  <span class="place-id"><Said text={placeName(one as Pick<Place, "kind" | "id">, one.name)} /></span>
                  <span class="place-kind">{placeKind(one as Pick<Place, "kind" | "id">, one.name)}</span>
                </span>
                <span class="faint numbers" title={t("records_in_all_words")}>{t("records_in_all", { count: number(one.records) })}</span>
                <span class="faint place-age">{age(one.last_time)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {!found.length && <p class="faint">{t("no_place_found")}</p>}
      {!who.workspace && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            onClose();
            location.hash = `#/${page}?place=workspace:&workspace=${encodeURIComponent(workspace.trim() || "default")}`;
          }}
        >
          <label class="field grow">
            <span>{t("workspace")}</span>
            <input value={workspace} onInput={(event) => setWorkspace(event.currentTarget.value)} />
          </label>
          <button type="submit" class="button quiet">{t("open")}</button>
        </form>
      )}
    </Dialog>
  );
}
