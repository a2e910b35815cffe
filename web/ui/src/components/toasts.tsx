/** Short messages at the edge, with a way back where there is one. */
import { CircleAlert, CircleCheck } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { TaishiError } from "../api";
import { t } from "../i18n";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
  undo?: () => void;
}

const SHOWN_MS = 6000;
let next = 1;
let toasts: Toast[] = [];
let redraw: () => void = () => {};

function show(toast: Omit<Toast, "id">, ms = SHOWN_MS): number {
  const id = next++;
  toasts = [...toasts.slice(-3), { ...toast, id }];
  redraw();
  setTimeout(() => dismiss(id), ms);
  return id;
}

function dismiss(id: number): void {
  toasts = toasts.filter((one) => one.id !== id);
  redraw();
}

export function say(text: string, undo?: () => void): void {
  show(undo ? { text, bad: false, undo } : { text, bad: false });
}

export function complain(error: unknown): void {
  const text = error instanceof TaishiError ? error.detail || error.title : t("no_connection_advice");
  show({ text, bad: true }, 10_000);
}

const waiting = new Map<number, () => void>();

/** Does something irrevocable only when the time for taking it back is over, or the page closes. */
export function later(text: string, act: () => void, takeBack: () => void): void {
  let id = 0;
  const timer = setTimeout(() => finish(), SHOWN_MS);
  const finish = () => {
    clearTimeout(timer);
    if (waiting.delete(id)) act();
  };
  id = show({
    text,
    bad: false,
    undo: () => {
      clearTimeout(timer);
      if (waiting.delete(id)) takeBack();
    },
  });
  waiting.set(id, finish);
}

addEventListener("pagehide", () => [...waiting.values()].forEach((finish) => finish()));

export function Toasts() {
  const [, draw] = useState(0);
  useEffect(() => {
    redraw = () => draw((count) => count + 1);
    return () => {
      redraw = () => {};
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} class={toast.bad ? "toast bad" : "toast"}>
          {toast.bad ? <CircleAlert size={18} aria-hidden="true" /> : <CircleCheck size={18} aria-hidden="true" />}
          <span>{toast.text}</span>
          {toast.undo && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                toast.undo?.();
                dismiss(toast.id);
              }}
            >
              {t("undo")}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
