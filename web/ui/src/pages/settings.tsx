/** The settings as a form, checked by the server before they are written; and the API keys. */
import { RotateCcw, Save, Search } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, unwrap, type Setting, type SettingsSection } from "../api";
import { Empty, ErrorBox, Loading } from "../components/basics";
import { isOwner, useApp } from "../context";
import { language, t } from "../i18n";
import { useResource } from "../resource";
import { ConnectionsPanel } from "./connections";
import { KeysPanel } from "./keys";

type Value = string | number | boolean | null;

export function SettingsPage() {
  const { who } = useApp();
  if (!isOwner(who)) {
    return (
      <div class="page">
        <header class="page-head"><h1>{t("nav_settings")}</h1></header>
        <Empty title={t("not_for_this_key")}>
          <p>{t("not_for_this_key_words")}</p>
        </Empty>
      </div>
    );
  }
  return (
    <div class="page settings-page">
      <header class="page-head"><h1>{t("nav_settings")}</h1></header>
      <KeysPanel />
      <ConnectionsPanel />
      <SettingsForm />
    </div>
  );
}

function SettingsForm() {
  const { data, error, reload } = useResource("settings", () => unwrap(api.GET("/v1/settings/form")));
  const [words, setWords] = useState("");
  const [changes, setChanges] = useState<Record<string, Value>>({});
  const [problem, setProblem] = useState<Error>();
  const [outcome, setOutcome] = useState<string[]>([]);
  if (error) return <ErrorBox error={error} retry={reload} />;
  if (!data) return <Loading />;
  const wanted = words.trim().toLowerCase();
  const count = Object.keys(changes).length;
  const save = (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    unwrap(api.PUT("/v1/settings", { body: { changes } })).then((done) => {
      setChanges({});
      setOutcome([
        ...(done.applied.length ? [t("settings_applied", { keys: done.applied.join(", ") })] : []),
        ...(done.need_restart.length ? [t("settings_restart", { keys: done.need_restart.join(", ") })] : []),
        ...Object.entries(done.overridden).map(([key, by]) => t("settings_overridden", { key, by: by === "overrides" ? t("by_program") : by })),
      ]);
      reload();
    }, setProblem);
  };
  const change = (setting: Setting, value: Value) => {
    const { [setting.key]: _, ...rest } = changes;
    setOutcome([]);
    setChanges(value === setting.value ? rest : { ...rest, [setting.key]: value });
  };
  return (
    <form class="settings" onSubmit={save}>
      <label class="search">
        <Search size={18} aria-hidden="true" />
        <span class="visually-hidden">{t("find_setting")}</span>
        <input type="search" value={words} placeholder={t("find_setting")} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <p class="faint">{data.file ? t("settings_file", { file: data.file }) : t("no_settings_file")}</p>
      {wanted && !data.sections.some((section) => matching(section, wanted).length) && (
        <Empty title={t("no_setting")}><p>{t("no_setting_words")}</p></Empty>
      )}
      {data.sections.map((section) => (
        <Section key={section.key} section={section} wanted={wanted} changes={changes} onChange={change} />
      ))}
      {(count > 0 || problem || outcome.length > 0) && (
        <div class="save-bar" role="status">
          {problem && <ErrorBox error={problem} />}
          {outcome.map((line) => <p key={line}>{line}</p>)}
          {count > 0 && (
            <div class="row">
              <span class="grow">{t("changes_count", { count })}</span>
              <button type="button" class="button quiet" onClick={() => (setChanges({}), setProblem(undefined))}>
                <RotateCcw size={16} aria-hidden="true" /> {t("discard")}
              </button>
              <button type="submit" class="button" disabled={!data.file}>
                <Save size={16} aria-hidden="true" /> {t("save")}
              </button>
            </div>
          )}
        </div>
      )}
    </form>
  );
}

function matching(section: SettingsSection, wanted: string): Setting[] {
  return section.fields.filter((one) => !wanted || `${one.key} ${one.en} ${one.zh}`.toLowerCase().includes(wanted));
}

interface SectionProps {
  section: SettingsSection;
  wanted: string;
  changes: Record<string, Value>;
  onChange: (setting: Setting, value: Value) => void;
}

function Section({ section, wanted, changes, onChange }: SectionProps) {
  const zh = language() === "zh";
  const fields = matching(section, wanted);
  if (!fields.length) return null;
  return (
    <details class="panel section" open={Boolean(wanted) || section.key === "memory" || section.key === "query"}>
      <summary>
        <h2>{(zh ? section.zh : section.en).replace(/[.。]$/, "")}</h2> <code>[{section.key}]</code> <span class="faint">{fields.length}</span>
      </summary>
      {fields.map((setting) => (
        <Field
          key={setting.key}
          setting={setting}
          value={setting.key in changes ? changes[setting.key]! : (setting.value as Value)}
          changed={setting.key in changes}
          onChange={(value) => onChange(setting, value)}
        />
      ))}
    </details>
  );
}

interface FieldProps {
  setting: Setting;
  value: Value;
  changed: boolean;
  onChange: (value: Value) => void;
}

function Field({ setting, value, changed, onChange }: FieldProps) {
  const id = `setting-${setting.key}`;
  return (
    <div class={changed ? "setting changed" : "setting"}>
      <div class="setting-words">
        <label for={id}>{setting.key.split(".").slice(1).join(".")}</label>
        <p class="faint" id={`${id}-help`}>{language() === "zh" ? setting.zh : setting.en}</p>
        <p class="faint small-print">
          {setting.live ? t("takes_effect_now") : t("needs_restart")}
          {setting.set_by ? ` · ${setBy(setting.set_by)}` : ` · ${t("is_default")}`}
        </p>
      </div>
      <Control id={id} setting={setting} value={value} onChange={onChange} />
    </div>
  );
}

/** Arguments of `taishi serve` and of the program around it have no name of their own. */
function setBy(by: string): string {
  const variable = by.match(/^environment variable (\S+)$/)?.[1];
  if (variable) return t("set_by_variable", { name: variable });
  return by === "overrides" ? t("set_by_program") : t("set_by", { by });
}

function Control({ id, setting, value, onChange }: { id: string } & Omit<FieldProps, "changed">) {
  const common = { id, "aria-describedby": `${id}-help` };
  if (setting.type === "boolean") {
    return <input {...common} type="checkbox" role="switch" class="switch" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  }
  if (setting.type === "choice") {
    return (
      <select {...common} value={String(value ?? "")} onChange={(event) => onChange(event.currentTarget.value)}>
        {value === null && <option value="" />}
        {setting.choices.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
    );
  }
  if (setting.type === "integer" || setting.type === "number") {
    return (
      <input
        {...common}
        type="number"
        step={setting.type === "integer" ? 1 : "any"}
        min={setting.low ?? undefined}
        max={setting.high ?? undefined}
        value={value === null ? "" : String(value)}
        placeholder={String(setting.default)}
        onInput={(event) => onChange(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
      />
    );
  }
  return (
    <input
      {...common}
      type={setting.secret ? "password" : "text"}
      autocomplete="off"
      value={value === null ? "" : String(value)}
      placeholder={setting.secret ? "" : String(setting.default)}
      onFocus={(event) => setting.secret && event.currentTarget.select()}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
