/** Why a request was not answered with data. */

/** One thing of a request that does not fit, where `code` of the error is `validation`. */
export interface FieldProblem {
  where: string;
  what: string;
}

export interface Problem {
  /** The HTTP status; 0 where there was no answer. */
  status: number;
  /** What programs look at; the end of the problem's `type`, or `network`, `timeout`, `aborted`. */
  code: string;
  title: string;
  /** What to do next, for a person. */
  detail: string;
  fields?: FieldProblem[];
  /** Finds the request in the server's log. */
  requestId?: string;
}

/** The server refused (its RFC 9457 problem), or nobody answered (`status` 0, with a `cause`). */
export class TaishiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly fields: FieldProblem[];
  readonly requestId: string | undefined;

  constructor(problem: Problem, options?: { cause?: unknown }) {
    super(problem.detail || problem.title, options);
    this.name = "TaishiError";
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.fields = problem.fields ?? [];
    this.requestId = problem.requestId;
  }
}

/** The error of an answer that is not a success. Anything may stand there instead of a problem. */
export function problemOf(status: number, body: unknown): TaishiError {
  const said = (body && typeof body === "object" ? body : {}) as Record<string, unknown>;
  return new TaishiError({
    status,
    code: String(said["type"] ?? "").replace(/^.*:/, ""),
    title: String(said["title"] ?? `HTTP ${status}`),
    detail: String(said["detail"] ?? ""),
    fields: Array.isArray(said["errors"]) ? (said["errors"] as FieldProblem[]) : [],
    requestId: typeof said["request_id"] === "string" ? said["request_id"] : undefined,
  });
}
