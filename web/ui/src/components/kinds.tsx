/** Icon, colour and name of each kind of memory. */
import {
  Activity,
  Brain,
  Clock,
  FileText,
  Hourglass,
  MessageSquareText,
  NotebookPen,
  ScrollText,
  UserRound,
  UsersRound,
  Workflow,
  type LucideIcon,
} from "lucide-preact";
import type { Memory } from "../api";
import { t, type Key } from "../i18n";

interface Look {
  icon: LucideIcon;
  tone: string;
  name: Key;
}

const LOOKS: Record<string, Look> = {
  fact: { icon: Brain, tone: "purple", name: "kind_fact" },
  event: { icon: Clock, tone: "blue", name: "kind_event" },
  procedure: { icon: Workflow, tone: "green", name: "kind_procedure" },
  short_term: { icon: Hourglass, tone: "teal", name: "kind_short_term" },
  turn: { icon: MessageSquareText, tone: "blue", name: "kind_turn" },
  profile: { icon: UserRound, tone: "pink", name: "kind_profile" },
  observation: { icon: Activity, tone: "grey", name: "kind_observation" },
  summary: { icon: ScrollText, tone: "blue", name: "kind_summary" },
  note: { icon: NotebookPen, tone: "teal", name: "kind_note" },
  chunk: { icon: FileText, tone: "grey", name: "kind_chunk" },
};
const SHARED: Look = { icon: UsersRound, tone: "amber", name: "kind_shared" };

export function lookOf(kind: string, shared = false): Look {
  if (shared) return { ...SHARED, name: LOOKS[kind]?.name ?? SHARED.name };
  return LOOKS[kind] ?? { icon: FileText, tone: "grey", name: "kind_note" };
}

export function KindIcon({ kind, shared = false }: { kind: string; shared?: boolean }) {
  const look = lookOf(kind, shared);
  return (
    <span class={`kind-icon tone-${look.tone}`} aria-hidden="true">
      <look.icon size={18} />
    </span>
  );
}

export function KindBadge({ kind, shared = false }: { kind: string; shared?: boolean }) {
  const look = lookOf(kind, shared);
  return <span class={`badge tone-${look.tone}`}>{t(look.name)}</span>;
}

const STATES: Record<string, { tone: string; name: Key }> = {
  candidate: { tone: "amber", name: "state_candidate" },
  conflict: { tone: "red", name: "state_conflict" },
  rejected: { tone: "grey", name: "state_rejected" },
  superseded: { tone: "grey", name: "state_superseded" },
  withdrawn: { tone: "grey", name: "state_withdrawn" },
  approved: { tone: "green", name: "state_approved" },
};

const WRITERS = new Set(["model", "person", "host"]);

/** Where the id of another record is expected: not one, but whoever took the fact back. */
export function isWriter(id: unknown): boolean {
  return typeof id === "string" && WRITERS.has(id);
}

/** Said only where it is not what one expects. */
export function StateBadge({ record, always = false }: { record: Pick<Memory, "state" | "until"> & Partial<Pick<Memory, "metadata">>; always?: boolean }) {
  const ended = record.state === "approved" && record.until && Date.parse(record.until) <= Date.now();
  if (ended) return <span class="badge tone-grey">{t("state_expired")}</span>;
  const isWithdrawn = record.state === "superseded" && isWriter(record.metadata?.["superseded_by"]);
  const look = STATES[isWithdrawn ? "withdrawn" : record.state];
  if (!look || (record.state === "approved" && !always)) return null;
  return <span class={`badge tone-${look.tone}`}>{t(look.name)}</span>;
}
