/** Narrowing the list: state, tag, person, days, confidence. */
import { useEffect, useState } from "preact/hooks";
import { percent } from "../format";
import { t } from "../i18n";
import type { Filters } from "./memory_data";

interface Props {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}

export const NO_FILTERS = { state: "", tag: "", person: "", from: "", to: "", sure: "", expired: "" };
const STATES = ["approved", "candidate", "conflict", "rejected", "superseded"] as const;

export function MemoryFilters({ filters, onChange }: Props) {
  const field = (name: keyof Filters) => ({
    value: filters[name],
    onChange: (event: Event) => onChange({ [name]: (event.currentTarget as HTMLInputElement).value.trim() }),
  });
  const typed = (name: keyof Filters) => ({ value: filters[name], onDone: (value: string) => onChange({ [name]: value }) });
  return (
    <div class="filters" id="filters">
      <label class="field">
        <span>{t("state")}</span>
        <select {...field("state")}>
          <option value="">{t("any")}</option>
          {STATES.map((state) => (
            <option key={state} value={state}>{t(`state_${state}`)}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{t("tag")}</span>
        <Typed {...typed("tag")} />
      </label>
      <label class="field">
        <span>{t("person")}</span>
        <Typed {...typed("person")} />
      </label>
      <label class="field">
        <span>{t("from_day")}</span>
        <input type="date" {...field("from")} />
      </label>
      <label class="field">
        <span>{t("to_day")}</span>
        <input type="date" {...field("to")} />
      </label>
      <label class="field">
        <span>{t("at_least_sure")}</span>
        <select {...field("sure")}>
          <option value="">{t("any")}</option>
          {["0.5", "0.7", "0.9"].map((value) => (
            <option key={value} value={value}>{percent(Number(value))}</option>
          ))}
        </select>
      </label>
      <button type="button" class="button quiet" onClick={() => onChange(NO_FILTERS)}>{t("clear")}</button>
    </div>
  );
}

/** Keeps what is being typed when the page is drawn anew in between. */
function Typed({ value, onDone }: { value: string; onDone: (value: string) => void }) {
  const [words, setWords] = useState(value);
  useEffect(() => setWords(value), [value]);
  return <input value={words} onInput={(event) => setWords(event.currentTarget.value)} onChange={(event) => onDone(event.currentTarget.value.trim())} />;
}
