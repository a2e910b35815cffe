/** Another memory that one names, by what it says rather than by its id. */
import { Link2 } from "lucide-preact";
import { api, unwrap } from "../api";
import { Said } from "../components/basics";
import { cut } from "../format";
import { t } from "../i18n";
import type { ScopeParams } from "../place";
import { useResource } from "../resource";

interface Props {
  id: string;
  scope: ScopeParams;
  words?: string;
  onOpen: (id: string) => void;
}

export function LinkedMemory({ id, scope, words, onOpen }: Props) {
  const { data, error } = useResource(`linked ${id}`, () => unwrap(api.GET("/v1/memories/{id}", { params: { path: { id }, query: scope } })));
  const said = data ? <Said text={cut(data.text, 160)} /> : error ? t("source_missing") : "…";
  return (
    <button type="button" class="button small quiet linked" title={id} disabled={Boolean(error)} onClick={() => onOpen(id)}>
      <Link2 size={14} aria-hidden="true" /> <span>{words && <span class="faint">{words}: </span>}{said}</span>
    </button>
  );
}
