/** The page about a user or a group: as it is, as fields, as it was, and back to that. */
import { History, Pencil, RotateCcw } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, TaishiError, unwrap, type Profile } from "../api";
import { Dialog, Empty, ErrorBox, Loading, Said, Tags } from "../components/basics";
import { lineMarks } from "../components/line_marks";
import { Markdown } from "../components/markdown";
import { TextDiff } from "../components/text_diff";
import { complain, say } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { dateTime } from "../format";
import { t, type Key } from "../i18n";
import { placeKey } from "../place";
import { useResource } from "../resource";
import { address } from "../router";
import { Members } from "./members";

type EntityType = "user" | "group";

export function ProfilesPage() {
  const { who, place, version } = useApp();
  const type: EntityType | null = place.kind === "private" ? "user" : place.kind === "group" ? "group" : null;
  const [editing, setEditing] = useState(false);
  const { data, error, reload } = useResource(
    `profile ${placeKey(place)}`,
    async () => {
      if (!type) return null;
      const params = { path: { entity_type: type, entity_id: place.id }, query: { workspace: place.workspace } };
      try {
        return await unwrap(api.GET("/v1/profiles/{entity_type}/{entity_id}/source", { params }));
      } catch (problem) {
        if (problem instanceof TaishiError && problem.status === 404) return null;
        throw problem;
      }
    },
    version,
  );
  return (
    <div class="page profiles-page">
      <header class="page-head">
        <h1>{t("nav_profiles")}</h1>
        {data && mayWrite(who) && !editing && (
          <button type="button" class="button" onClick={() => setEditing(true)}>
            <Pencil size={16} aria-hidden="true" /> {t("edit")}
          </button>
        )}
      </header>
      {error && <ErrorBox error={error} retry={reload} />}
      {data === undefined && !error && <Loading />}
      {data === null && (
        <Empty title={t("no_profile")}>
          <p>{type ? t("no_profile_words") : t("no_profile_kind")}</p>
        </Empty>
      )}
      {data && type && (
        <div class="profile-columns">
          <article class="panel profile">
            {editing ? <Editor type={type} profile={data} onDone={() => setEditing(false)} /> : <Page profile={data} />}
          </article>
          <Revisions type={type} />
        </div>
      )}
      {place.kind === "group" && !editing && <Members />}
    </div>
  );
}

function Page({ profile }: { profile: Profile }) {
  return (
    <>
      <h2><Said text={profile.name || profile.entity_id} /></h2>
      <dl class="facts-list">
        <div><dt>{t("id")}</dt><dd><Said text={profile.entity_id} /></dd></div>
        <div><dt>{t("updated")}</dt><dd>{dateTime(profile.updated_at)}</dd></div>
        <div><dt>{t("changed_by")}</dt><dd><Writer by={profile.changed_by} event={profile.source_event_id} /></dd></div>
      </dl>
      <Tags tags={profile.tags} most={30} />
      <hr />
      {profile.body.trim() ? <Markdown text={profile.body} html={profile.entity_type === "user" ? lineMarks : undefined} /> : <p class="faint">{t("empty_page")}</p>}
    </>
  );
}

const WRITERS: Record<string, Key> = {
  historian: "writer_historian", correction: "writer_correction", rebuild: "writer_rebuild", file: "writer_file",
  rollback: "writer_rollback", person: "writer_person", host: "writer_person",
};
export const DOORS: Record<string, Key> = { page: "door_page", cli: "door_cli", rest: "door_rest", python: "door_python" };

/** Who or what wrote a version; the event that taught it can be opened. */
function Writer({ by, event }: { by: string; event: string }) {
  const { place } = useApp();
  const [who = "", door = ""] = by.split(":");
  const known = WRITERS[who];
  return (
    <>
      {t(known ?? "writer_unknown")}
      {door && <> ({DOORS[door] ? t(DOORS[door]) : door})</>}
      {event && (!known || who === "historian") && (
        <>{" · "}<a href={address("memory", place, { open: event })}>{t("from_event")}</a></>
      )}
    </>
  );
}

function Editor({ type, profile, onDone }: { type: EntityType; profile: Profile; onDone: () => void }) {
  const { place, refresh } = useApp();
  const [body, setBody] = useState(profile.body);
  const [error, setError] = useState<Error>();
  const save = (event: Event) => {
    event.preventDefault();
    const path = { entity_type: type, entity_id: place.id };
    const change = { workspace: place.workspace, body, updated_at: profile.updated_at };
    unwrap(api.PATCH("/v1/profiles/{entity_type}/{entity_id}", { params: { path }, body: change })).then(() => {
      say(t("saved"));
      refresh();
      onDone();
    }, setError);
  };
  return (
    <form class="editor" onSubmit={save}>
      <label class="field">
        <span>{t("page_text")}</span>
        <textarea rows={18} dir="auto" value={body} autofocus onInput={(event) => setBody(event.currentTarget.value)} />
      </label>
      <p class="faint">{t("page_words")}</p>
      {error && <ErrorBox error={error} />}
      <div class="row">
        <button type="submit" class="button" disabled={body === profile.body}>{t("save")}</button>
        <button type="button" class="button quiet" onClick={onDone}>{t("cancel")}</button>
      </div>
    </form>
  );
}

/** "20260924T171320.005000Z" as a time. */
export function revisionTime(name: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(name);
  return found ? dateTime(`${found[1]}-${found[2]}-${found[3]}T${found[4]}:${found[5]}:${found[6]}Z`, true) : name;
}

function Revisions({ type }: { type: EntityType }) {
  const { place, version } = useApp();
  const [chosen, setChosen] = useState<string>();
  const params = { path: { entity_type: type, entity_id: place.id }, query: { workspace: place.workspace } };
  const { data, error } = useResource(
    `revisions ${placeKey(place)}`,
    () => unwrap(api.GET("/v1/profiles/{entity_type}/{entity_id}/revisions", { params })),
    version,
  );
  return (
    <aside class="panel" aria-label={t("revisions")}>
      <h2><History size={18} aria-hidden="true" /> {t("revisions")}</h2>
      {error && <ErrorBox error={error} />}
      {data && !data.revisions.length && <p class="faint">{t("no_revisions")}</p>}
      <ol class="plain revisions">
        {data?.history.map((one) => (
          <li key={one.name}>
            <button type="button" class="button quiet wide" aria-label={t("said_until", { time: revisionTime(one.name) })} onClick={() => setChosen(one.name)}>{revisionTime(one.name)}</button>
            <p class="faint revision-writer"><Writer by={one.changed_by} event={one.source_event_id} /></p>
          </li>
        ))}
      </ol>
      {chosen && <RevisionDialog type={type} revision={chosen} onClose={() => setChosen(undefined)} />}
    </aside>
  );
}

function RevisionDialog({ type, revision, onClose }: { type: EntityType; revision: string; onClose: () => void }) {
  const { who, place, refresh } = useApp();
  const path = { entity_type: type, entity_id: place.id, revision };
  const { data, error } = useResource(`diff ${revision}`, () =>
    unwrap(
      api.GET("/v1/profiles/{entity_type}/{entity_id}/revisions/{revision}/diff", {
        params: { path, query: { workspace: place.workspace } },
      }),
    ),
  );
  const back = () =>
    unwrap(
      api.POST("/v1/profiles/{entity_type}/{entity_id}/revisions/{revision}/rollback", {
        params: { path },
        body: { workspace: place.workspace },
      }),
    ).then(() => {
      say(t("rolled_back"));
      refresh();
      onClose();
    }, complain);
  return (
    <Dialog title={t("since_then", { time: revisionTime(revision) })} onClose={onClose}>
      {error && <ErrorBox error={error} />}
      {!data && !error && <Loading />}
      {data && <TextDiff unified={data.diff} />}
      <div class="row end">
        <button type="button" class="button quiet" onClick={onClose}>{t("close")}</button>
        {mayWrite(who) && (
          <button type="button" class="button" onClick={back}>
            <RotateCcw size={16} aria-hidden="true" /> {t("roll_back")}
          </button>
        )}
      </div>
    </Dialog>
  );
}
