/** What documents answer to a question: the passage with its words marked, and where it stands. */
import { api, unwrap, type Hit } from "../api";
import { Empty, ErrorBox, Loading, Said } from "../components/basics";
import { Highlight, wordsOf } from "../components/highlight";
import { useApp } from "../context";
import { cut } from "../format";
import { t } from "../i18n";
import { placeKey, scopeOf } from "../place";
import { useResource } from "../resource";
import { address } from "../router";

const HITS = 20;
const SECONDS = 3;
const SHOWN_CHARS = 3000;

interface Props {
  question: string;
  onOpen: (document: string, chunk: string) => void;
}

export function KnowledgeHits({ question, onOpen }: Props) {
  const { place, version } = useApp();
  const { data, error, loading, reload } = useResource(
    `knowledge ${placeKey(place)} ${question}`,
    (signal) => {
      const body = { scope: scopeOf(place), query: question, top_k: HITS, neighbours: 1, deadline: SECONDS };
      return unwrap(api.POST("/v1/documents/search", { body: body as never, signal }));
    },
    version,
  );
  const words = wordsOf(question);
  if (error) return <ErrorBox error={error} retry={reload} />;
  if (!data) return loading ? <Loading /> : null;
  return (
    <>
      <p class="faint" role="status">{t("passages_count", { count: data.hits.length })}</p>
      {!data.hits.length && (
        <Empty title={t("no_passage")}>
          <p>{t("no_passage_words")}</p>
        </Empty>
      )}
      <ol class="plain">
        {data.hits.map((hit) => (
          <HitView key={hit.id} hit={hit} words={words} onOpen={onOpen} />
        ))}
      </ol>
    </>
  );
}

function HitView({ hit, words, onOpen }: { hit: Hit; words: string[] } & Pick<Props, "onOpen">) {
  const { place } = useApp();
  const document = String(hit.metadata["document"] ?? "");
  const isShared = place.kind !== "workspace" && String(hit.metadata["place"] ?? "").endsWith("/shared");
  const shared = { workspace: place.workspace, kind: "workspace" as const, id: "" };
  const where = <CitationWords data={hit.metadata} />;
  const { before, matched, after } = around(hit);
  return (
    <li class="panel passage">
      <div class="detail-badges">
        {isShared ? (
          <a class="citation" href={address("knowledge", shared, { open: document, chunk: hit.id })}>{where}</a>
        ) : (
          <button type="button" class="link citation" onClick={() => onOpen(document, hit.id)}>{where}</button>
        )}
        {isShared && <span class="badge tone-amber">{t("kind_shared")}</span>}
        <span class="badge tone-purple">{t("match", { score: hit.score.toFixed(2) })}</span>
      </div>
      <p class="passage-text">
        <bdi dir="auto" class="said">
          {before && <span class="faint"><Highlight text={before} words={words} /></span>}
          <Highlight text={matched} words={words} />
          {after && <span class="faint"><Highlight text={after} words={words} /></span>}
        </bdi>
      </p>
    </li>
  );
}

/** File › section, page. */
export function CitationWords({ data }: { data: Record<string, unknown> }) {
  const section = Array.isArray(data["section"]) ? data["section"].filter((one): one is string => typeof one === "string") : [];
  const page = typeof data["page"] === "number" ? t("page_number", { page: data["page"] }) : "";
  const parts = [String(data["name"] ?? ""), ...section].filter(Boolean);
  return (
    <>
      <Said text={cut(parts.join(" › "), 300)} /> {page && <span class="faint">{page}</span>}
    </>
  );
}

/** The chunk that matched, between what stands before and after it. */
function around(hit: Hit): { before: string; matched: string; after: string } {
  const text = cut(hit.text, SHOWN_CHARS);
  const matched = String(hit.metadata["matched"] ?? "");
  const at = matched ? text.indexOf(matched) : -1;
  if (at < 0) return { before: "", matched: text, after: "" };
  return { before: text.slice(0, at), matched, after: text.slice(at + matched.length) };
}
