/** Narrowing the list: state, tag, person, days, confidence. */
import { t } from "../i18n";
import type { Filters } from "./memory_data";

interface Props {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}

const STATES = ["approved", "candidate", "conflict", "rejected", "superseded"] as const;

export function MemoryFilters({ filters, onChange }: Props) {
  const field = (name: keyof Filters) => ({
    value: filters[name],
    onChange: (event: Event) => onChange({ [name]: (event.currentTarget as HTMLInputElement).value.trim() }),
  });
  const clear = { state: "", tag: "", person: "", from: "", to: "", sure: "", expired: "" };
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
        <input {...field("tag")} />
      </label>
      <label class="field">
        <span>{t("person")}</span>
        <input {...field("person")} />
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
            <option key={value} value={value}>{Math.round(Number(value) * 100)} %</option>
          ))}
        </select>
      </label>
      <button type="button" class="button quiet" onClick={() => onChange(clear)}>{t("clear")}</button>
    </div>
  );
}
