/** Small parts that every page uses. */
import { CircleAlert, Inbox, Loader, RefreshCw, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { TaishiError } from "../api";
import { cut, percent } from "../format";
import { t } from "../i18n";
import { tagName } from "../tag_names";

/** Text that somebody else wrote: always text, in its own direction, never more than can be shown. */
export function Said({ text, class: name = "" }: { text: string; class?: string }) {
  return (
    <bdi dir="auto" class={`said ${name}`}>
      {text}
    </bdi>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Inbox size={36} aria-hidden="true" />
      <h2>{title}</h2>
      {children && <div class="empty-words">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <Loader size={20} class="spin" aria-hidden="true" /> {t("loading")}
    </div>
  );
}

export function ErrorBox({ error, retry }: { error: Error; retry?: () => void }) {
  const problem = error instanceof TaishiError ? error : null;
  return (
    <div class="error-box" role="alert">
      <CircleAlert size={20} aria-hidden="true" />
      <div>
        <strong>{problem ? problem.title : t("no_connection")}</strong>
        <p>{problem ? problem.detail : t("no_connection_advice")}</p>
        {problem?.fields.map((one) => (
          <p key={one.where}>
            <code>{one.where}</code>: {one.what}
          </p>
        ))}
      </div>
      {retry && (
        <button type="button" class="button quiet" onClick={retry}>
          <RefreshCw size={16} aria-hidden="true" /> {t("try_again")}
        </button>
      )}
    </div>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  drawer?: boolean;
}

/** The browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, drawer = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const outside = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      class={drawer ? "drawer" : "dialog"}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={outside}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label={t("close")} title={t("close")} onClick={onClose}>
            <X size={20} aria-hidden="true" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

export function Bar({ value, tone = "purple", label }: { value: number; tone?: string; label: string }) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <span class="bar" role="img" aria-label={label}>
      <span class={`bar-fill fill-${tone}`} style={{ width: `${share * 100}%` }} />
    </span>
  );
}

/** How sure one is; grey where it no longer counts. */
export function Confidence({ value, state = "" }: { value: number; state?: string }) {
  const tone = state === "rejected" || state === "superseded" ? "grey" : value >= 0.8 ? "green" : value >= 0.5 ? "amber" : "red";
  return (
    <span class="confidence" title={t("confidence")}>
      <Bar value={value} tone={tone} label={`${t("confidence")}: ${percent(value)}`} />
      <span class="numbers">{percent(value)}</span>
    </span>
  );
}

/** Columns for a few dozen numbers, such as records by day. */
export function Spark({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(1, ...values);
  const width = 100 / Math.max(1, values.length);
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = value ? Math.max(2, (value / most) * 24) : 0.8;
        return <rect key={index} x={index * width + width * 0.1} y={24 - height} width={width * 0.8} height={height} rx="0.6" />;
      })}
    </svg>
  );
}

export function Tags({ tags, most }: { tags: unknown; most: number }) {
  const known = Array.isArray(tags) ? tags.filter((one): one is string => typeof one === "string") : [];
  if (!known.length) return null;
  return (
    <span class="tags">
      {known.slice(0, most).map((tag, index) => (
        <span class="tag" key={index}>
          <Said text={cut(tagName(tag), 40)} />
        </span>
      ))}
      {known.length > most && <span class="tag more">+{known.length - most}</span>}
    </span>
  );
}
