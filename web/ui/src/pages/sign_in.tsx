/** Asks for an API key. It is sent once and not kept: the session is a cookie that no script can read. */
import { KeyRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { signIn } from "../api";
import { ErrorBox } from "../components/basics";
import { language, setLanguage, t } from "../i18n";

export function SignInPage({ onDone }: { onDone: () => void }) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const submit = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    signIn(key.trim())
      .then(onDone, setError)
      .finally(() => setBusy(false));
  };
  return (
    <main class="centred">
      <form class="sign-in" onSubmit={submit}>
        <div class="brand">
          <span class="seal" aria-hidden="true">史</span>
          <span class="brand-name">{t("brand")}</span>
        </div>
        <h1>{t("sign_in")}</h1>
        <p class="faint">{t("sign_in_words")}</p>
        <label class="field">
          <span>{t("api_key")}</span>
          <input
            type="password"
            name="key"
            value={key}
            autocomplete="current-password"
            placeholder="tsk_…"
            required
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        {error && <ErrorBox error={error} />}
        <button type="submit" class="button" disabled={busy || !key.trim()}>
          <KeyRound size={18} aria-hidden="true" /> {t("sign_in")}
        </button>
        <p class="faint">
          {t("make_a_key")} <code>taishi keys create ME --rights admin --every-workspace --data {t("folder")}</code>
          <br />{t("make_a_key_where")}
        </p>
        <button type="button" class="button quiet" onClick={() => setLanguage(language() === "zh" ? "en" : "zh")}>
          {t("other_language")}
        </button>
      </form>
    </main>
  );
}
