/** Files on their way in, one after another: how far each is, and why one was not taken. */
import { CircleAlert, CircleCheck, Loader, X } from "lucide-preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Bar, Said } from "../components/basics";
import { bytes, cut } from "../format";
import { t } from "../i18n";
import type { Place } from "../place";
import { reasonOf, sendFile } from "../upload";

interface Upload {
  id: number;
  file: File;
  share: number;
  state: "waiting" | "sending" | "done" | "failed";
  reason: string;
}

export interface Uploads {
  list: Upload[];
  add: (files: File[]) => void;
  dismiss: (id: number) => void;
}

const DONE_MS = 4000;
const MB = 1 << 20;
let nextId = 1;

export function useUploads(place: Place, mostMb: number | undefined, onDone: () => void): Uploads {
  const [list, setList] = useState<Upload[]>([]);
  const alive = useRef(true);
  const done = useRef(onDone);
  done.current = onDone;
  const chain = useRef<Promise<void>>(Promise.resolve());
  useEffect(
    () => () => {
      alive.current = false;
    },
    [],
  );
  const change = useCallback((id: number, changes: Partial<Upload>) => {
    if (alive.current) setList((was) => was.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }, []);
  const dismiss = useCallback((id: number) => {
    if (alive.current) setList((was) => was.filter((one) => one.id !== id));
  }, []);
  const add = useCallback(
    (files: File[]) => {
      const fresh = files.map((file): Upload => {
        const tooLarge = mostMb !== undefined && file.size > mostMb * MB;
        const reason = tooLarge ? t("too_large", { size: bytes(file.size), most: bytes(mostMb * MB) }) : "";
        return { id: nextId++, file, share: 0, state: tooLarge ? "failed" : "waiting", reason };
      });
      setList((was) => [...was, ...fresh]);
      for (const { id, file } of fresh.filter((one) => one.state === "waiting")) {
        chain.current = chain.current.then(async () => {
          change(id, { state: "sending" });
          try {
            await sendFile(place, file, (share) => change(id, { share }));
            change(id, { state: "done" });
            if (alive.current) done.current();
            setTimeout(() => dismiss(id), DONE_MS);
          } catch (error) {
            change(id, { state: "failed", reason: reasonOf(error, t("upload_unreachable")) });
          }
        });
      }
    },
    [place, mostMb, change, dismiss],
  );
  return { list, add, dismiss };
}

export function UploadList({ uploads }: { uploads: Uploads }) {
  return (
    <ul class="plain uploads" aria-label={t("uploads")} aria-live="polite">
      {uploads.list.map((one) => (
        <li key={one.id} class={`upload upload-${one.state}`}>
          {one.state === "done" && <CircleCheck size={18} aria-hidden="true" />}
          {one.state === "failed" && <CircleAlert size={18} aria-hidden="true" />}
          {(one.state === "sending" || one.state === "waiting") && <Loader size={18} class={one.state === "sending" ? "spin" : ""} aria-hidden="true" />}
          <span class="grow upload-words">
            <strong><Said text={cut(one.file.name, 120)} /></strong> <span class="faint">{bytes(one.file.size)}</span>
            {one.reason && <span class="upload-reason">{one.reason}</span>}
          </span>
          {one.state === "sending" && one.share < 1 && <Bar value={one.share} label={`${Math.round(one.share * 100)} %`} />}
          <span class="faint">{words(one)}</span>
          {one.state === "failed" && (
            <button type="button" class="icon-button" aria-label={t("close")} title={t("close")} onClick={() => uploads.dismiss(one.id)}>
              <X size={18} aria-hidden="true" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function words(one: Upload): string {
  if (one.state === "waiting") return t("upload_waiting");
  if (one.state === "sending") return one.share < 1 ? `${Math.round(one.share * 100)} %` : t("upload_reading");
  return one.state === "done" ? t("upload_done") : t("upload_failed");
}
