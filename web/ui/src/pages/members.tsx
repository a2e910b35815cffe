/** The people in a group who have a page, and what of it the group is shown. */
import { Users } from "lucide-preact";
import { api, unwrap } from "../api";
import { ErrorBox, Said } from "../components/basics";
import { Markdown } from "../components/markdown";
import { useApp } from "../context";
import { t } from "../i18n";
import { placeKey, scopeOf, type Place } from "../place";
import { useResource, type Resource } from "../resource";
import { address } from "../router";

export interface Member {
  id: string;
  name: string;
  body: string;
}

const MOST = 200;

/** Nobody where the place is no group. */
export function useMembers(place: Place, version: number): Resource<Member[]> {
  return useResource(
    `members ${placeKey(place)}`,
    async (signal) => {
      if (place.kind !== "group") return [];
      const query = { ...scopeOf(place), kinds: ["profile" as const], limit: MOST };
      const { items } = await unwrap(api.GET("/v1/browse", { params: { query }, signal }));
      return items.filter((one) => one.id.startsWith("user:")).map(memberOf);
    },
    version,
  );
}

/** The text of the record begins with a line of the name and the tags, which are there to be searched. */
function memberOf({ id, text, metadata }: { id: string; text: string; metadata: Record<string, unknown> }): Member {
  const name = typeof metadata["name"] === "string" ? metadata["name"] : "";
  const tags = Array.isArray(metadata["tags"]) ? metadata["tags"].map(String) : [];
  const head = `${[name, ...tags].join(" ").trim()}\n`;
  return { id: id.slice("user:".length), name, body: text.startsWith(head) ? text.slice(head.length) : text };
}

export function Members() {
  const { place, version } = useApp();
  const { data, error, reload } = useMembers(place, version);
  if (error) return <ErrorBox error={error} retry={reload} />;
  if (!data?.length) return null;
  return (
    <section class="panel members" aria-label={t("members")}>
      <h2><Users size={18} aria-hidden="true" /> {t("members")}</h2>
      <p class="faint">{t("members_words")}</p>
      <ul class="plain">
        {data.map((one) => (
          <li key={one.id}>
            <h3>
              <a href={address("profiles", { workspace: place.workspace, kind: "private", id: one.id })}><Said text={one.name || one.id} /></a>
              {one.name && one.name !== one.id && <span class="faint"> <Said text={one.id} /></span>}
            </h3>
            <Markdown text={one.body} />
          </li>
        ))}
      </ul>
      {data.length >= MOST && <p class="faint">{t("members_most", { count: MOST })}</p>}
    </section>
  );
}
