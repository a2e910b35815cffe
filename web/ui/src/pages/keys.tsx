/** API keys: made, shown once, withdrawn. */
import { Copy, KeyRound, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, signIn, unwrap, whileSigningIn, type ApiKey } from "../api";
import { Dialog, ErrorBox, Loading, Said } from "../components/basics";
import { complain, say } from "../components/toasts";
import { useApp } from "../context";
import { dateTime } from "../format";
import { t } from "../i18n";
import { useResource } from "../resource";

export function KeysPanel() {
  const { who } = useApp();
  const { data, error, reload } = useResource("keys", () => unwrap(api.GET("/v1/keys")));
  const [making, setMaking] = useState(false);
  const [withdrawing, setWithdrawing] = useState<ApiKey>();
  const withdraw = (key: ApiKey) =>
    unwrap(api.POST("/v1/keys/{name}/revoke", { params: { path: { name: key.id } } })).then(
      () => (say(t("key_withdrawn")), setWithdrawing(undefined), reload()),
      complain,
    );
  return (
    <section class="panel">
      <div class="page-head">
        <h2><KeyRound size={18} aria-hidden="true" /> {t("api_keys")}</h2>
        <button type="button" class="button quiet" onClick={() => setMaking(true)}>
          <Plus size={16} aria-hidden="true" /> {t("make_key")}
        </button>
      </div>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && !data.keys.length && <p class="notice">{t("no_keys_words")}</p>}
      <ul class="plain">
        {data?.keys.map((key) => (
          <li key={key.id} class="key-row">
            <span class="grow">
              <strong><Said text={key.name} /></strong> <code>{key.id}</code>
              <br />
              <span class="faint">{reach(key)} · {dateTime(key.created)}</span>
            </span>
            <span class={`badge tone-${key.revoked ? "grey" : "green"}`}>{key.revoked ? t("withdrawn") : key.rights}</span>
            {!key.revoked && key.id !== who.key && (
              <button type="button" class="button small quiet danger-text" onClick={() => setWithdrawing(key)}>{t("withdraw")}</button>
            )}
          </li>
        ))}
      </ul>
      {making && <MakeKey isFirst={!data?.keys.length} onClose={() => (setMaking(false), reload())} />}
      {withdrawing && (
        <Dialog title={t("withdraw_question", { name: withdrawing.name })} onClose={() => setWithdrawing(undefined)}>
          <p>{t("withdraw_words")}</p>
          <div class="row end">
            <button type="button" class="button quiet" onClick={() => setWithdrawing(undefined)}>{t("cancel")}</button>
            <button type="button" class="button danger" onClick={() => withdraw(withdrawing)}>{t("withdraw")}</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

function reach(key: ApiKey): string {
  const parts = [key.workspace ?? t("every_workspace")];
  for (const name of ["user", "group", "agent"] as const) if (key[name]) parts.push(`${name}: ${key[name]}`);
  return parts.join(" · ");
}

function MakeKey({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<"read" | "write" | "admin">(isFirst ? "admin" : "write");
  const [workspace, setWorkspace] = useState(isFirst ? "" : "default");
  const [user, setUser] = useState("");
  const [group, setGroup] = useState("");
  const [secret, setSecret] = useState("");
  const [error, setError] = useState<Error>();
  const make = async (event: Event) => {
    event.preventDefault();
    const id = (text: string) => text.trim() || null;
    const body = { name: name.trim(), rights, workspace: id(workspace), user: id(user), group: id(group) };
    try {
      await whileSigningIn(async () => {
        const made = await unwrap(api.POST("/v1/keys", { body: body as never }));
        // From now on every request needs a key, this page's too. The secret is shown in any case.
        await (isFirst ? signIn(made.secret) : Promise.resolve()).finally(() => setSecret(made.secret));
      });
    } catch (problem) {
      setError(problem as Error);
    }
  };
  if (secret) {
    return (
      <Dialog title={t("new_key")} onClose={() => (onClose(), isFirst && location.reload())}>
        <p>{t("copy_now")}</p>
        <p class="secret"><code>{secret}</code></p>
        <div class="row end">
          <button type="button" class="button" onClick={() => navigator.clipboard?.writeText(secret).then(() => say(t("copied")), complain)}>
            <Copy size={16} aria-hidden="true" /> {t("copy")}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("make_key")} onClose={onClose}>
      <form class="editor" onSubmit={make}>
        {isFirst && <p class="notice">{t("first_key_words")}</p>}
        <label class="field"><span>{t("name")}</span><input value={name} maxLength={100} required autofocus onInput={(event) => setName(event.currentTarget.value)} /></label>
        {!isFirst && (
          <>
            <label class="field">
              <span>{t("rights")}</span>
              <select value={rights} onChange={(event) => setRights(event.currentTarget.value as "read")}>
                <option value="read">{t("right_read")}</option>
                <option value="write">{t("right_write")}</option>
                <option value="admin">{t("right_admin")}</option>
              </select>
            </label>
            <label class="field"><span>{t("workspace")}</span><input value={workspace} placeholder={t("every_workspace")} onInput={(event) => setWorkspace(event.currentTarget.value)} /></label>
            <label class="field"><span>{t("only_user")}</span><input value={user} onInput={(event) => setUser(event.currentTarget.value)} /></label>
            <label class="field"><span>{t("only_group")}</span><input value={group} onInput={(event) => setGroup(event.currentTarget.value)} /></label>
          </>
        )}
        {error && <ErrorBox error={error} />}
        <div class="row end">
          <button type="button" class="button quiet" onClick={onClose}>{t("cancel")}</button>
          <button type="submit" class="button" disabled={!name.trim()}>{t("make_key")}</button>
        </div>
      </form>
    </Dialog>
  );
}
