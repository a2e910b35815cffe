/** Sends a file to the knowledge base, and says how far it is: only XMLHttpRequest tells that. */
import { pageHeaders, TaishiError, problemOf, SIGNED_OUT } from "./api";
import { scopeOf, type Place } from "./place";

export function sendFile(place: Place, file: File, onProgress: (share: number) => void): Promise<void> {
  const params = new URLSearchParams({ name: file.name });
  for (const [name, value] of Object.entries(scopeOf(place))) params.set(name, String(value));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1/documents?${params}`);
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.upload.onload = () => onProgress(1);
    request.onerror = () => reject(new Error("no connection"));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve();
      if (request.status === 401) dispatchEvent(new Event(SIGNED_OUT));
      reject(problemOf(request.status, parsed(request.responseText)));
    };
    request.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a person reads about a file that was not taken; `unreachable` where nobody answered. */
export function reasonOf(error: unknown, unreachable: string): string {
  return error instanceof TaishiError ? error.detail || error.title : unreachable;
}
