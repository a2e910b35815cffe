/** The verbs of a memory, for one scope. Each method is named as its operation in `/openapi.json`. */
import { TaishiError } from "./errors.js";
import { createClient, unwrap, type Schemas, type TaishiApi } from "./http.js";
import { namingTheKey } from "./no_entry.js";
import { retryingFetch, type RetryOptions } from "./retry.js";

/** Who speaks, and where: `user` alone is a private chat, `group` with `user` a group chat. */
export type Scope = Schemas["ScopeIn"];
export type Message = Schemas["MessageIn"];
export type MemoryItem = Schemas["MemoryItem"];
export type Turn = Unscoped<Schemas["TurnIn"]>;
export type RecallOptions = Without<Schemas["RecallIn"], "query">;
export type ContextOptions = Without<Schemas["ContextIn"], "query">;
export type Recall = Listed<Schemas["RecallOut"]>;
export type Hit = Recall["hits"][number];
export type Context = Listed<Schemas["ContextOut"]>;
export type MemoryRecord = Schemas["RecordOut"];
export type EntityType = "user" | "group";

type Unscoped<T> = Omit<T, "scope">;
type Without<T, K extends keyof T> = Omit<T, "scope" | K>;
/** openapi-fetch reads a pair of numbers as a list. */
type Listed<T> = T extends [number, number] ? number[] : T extends object ? { [K in keyof T]: Listed<T[K]> } : T;
type Kind = NonNullable<Schemas["MemoryItem"]["kind"]>;

export interface TaishiOptions extends RetryOptions {
  /** Where `taishi serve` listens, such as `http://127.0.0.1:8321`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** Of every call; may be left out with a key that is bound to one. */
  scope?: Scope | undefined;
  /** `zh`: errors and notes in Chinese. */
  language?: string | undefined;
}

/** Of a single call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Your own, such as a message's id: safe to repeat even after your process was restarted. */
  idempotencyKey?: string | undefined;
}

export interface ListOptions {
  kinds?: Kind[] | undefined;
  after?: string | undefined;
  limit?: number | undefined;
}

export interface BrowseOptions extends ListOptions {
  /** Only what belongs to this user. */
  person?: string | undefined;
}

export class Taishi {
  readonly scope: Scope;
  /** Every route by its path, with the same key and retries; raw answers and errors. */
  readonly api: TaishiApi;

  constructor(options: TaishiOptions, api: TaishiApi = connect(options)) {
    this.scope = options.scope ?? {};
    this.api = api;
  }

  /** The same connection for another chat. Nothing of the old scope is taken over. */
  withScope(scope: Scope): Taishi {
    return new Taishi({ baseUrl: "", scope }, this.api);
  }

  // -- reading ------------------------------------------------------------------------------------

  /** The few records that matter for a question. */
  recall(query: string, options: RecallOptions = {}, call?: CallOptions): Promise<Recall> {
    return unwrap(this.api.POST("/v1/recall", { body: { ...options, query, scope: this.scope }, ...sent(call) }));
  }

  /** The block for the user's turn; `block` is empty when nothing is known. */
  context(query: string, options: ContextOptions = {}, call?: CallOptions): Promise<Context> {
    return unwrap(this.api.POST("/v1/context", { body: { ...options, query, scope: this.scope }, ...sent(call) }));
  }

  searchEvents(query: string, options: Without<Schemas["EventsIn"], "query"> = {}, call?: CallOptions): Promise<Recall> {
    const body = { ...options, query, scope: this.scope };
    return unwrap(this.api.POST("/v1/events/search", { body, ...sent(call) }));
  }

  searchProfiles(query: string, options: Without<Schemas["ProfilesIn"], "query"> = {}, call?: CallOptions): Promise<Recall> {
    const body = { ...options, query, scope: this.scope };
    return unwrap(this.api.POST("/v1/profiles/search", { body, ...sent(call) }));
  }

  /** Load what the first question needs, and wait until what was just stored is found by meaning. */
  warmUp(options: Without<Schemas["WarmUpIn"], never> = {}, call?: CallOptions): Promise<Schemas["WarmUpOut"]> {
    return unwrap(this.api.POST("/v1/warm-up", { body: { ...options, scope: this.scope }, ...sent(call) }));
  }

  searchDocuments(query: string, options: Without<Schemas["KnowledgeIn"], "query"> = {}, call?: CallOptions): Promise<Recall> {
    const body = { ...options, query, scope: this.scope };
    return unwrap(this.api.POST("/v1/documents/search", { body, ...sent(call) }));
  }

  // -- writing ------------------------------------------------------------------------------------

  /** Report the end of a turn: what was done, and what is new. Once this resolves, it is on disk. */
  endTurn(turn: Turn, call?: CallOptions): Promise<Schemas["TurnOut"]> {
    return unwrap(this.api.POST("/v1/turns", { body: { ...turn, scope: this.scope }, ...sent(call) }));
  }

  /** For hosts whose model has no `end` tool: the server decides if there is anything to keep. */
  consider(messages: Message[], details: Without<Schemas["ConsiderIn"], "messages"> = {}, call?: CallOptions): Promise<Schemas["TurnOut"]> {
    const body = { ...details, messages, scope: this.scope };
    return unwrap(this.api.POST("/v1/turns/consider", { body, ...sent(call) }));
  }

  /** Report a tool call; a short, redacted preview of its result is stored. */
  observe(tool: string, args?: unknown, result?: unknown, call?: CallOptions): Promise<Schemas["ObservationOut"]> {
    const body = { tool, arguments: args, result, scope: this.scope };
    return unwrap(this.api.POST("/v1/observations", { body, ...sent(call) }));
  }

  /** Keep a sentence word for word, except that secrets are removed. */
  remember(text: string, options: Omit<MemoryItem, "text"> = {}, call?: CallOptions): Promise<Schemas["IdOut"]> {
    return unwrap(this.api.POST("/v1/memories", { body: { ...options, text, scope: this.scope }, ...sent(call) }));
  }

  /** All of them or, if one is invalid, none. */
  rememberMany(items: MemoryItem[], call?: CallOptions): Promise<Schemas["IdsOut"]> {
    return unwrap(this.api.POST("/v1/memories/bulk", { body: { items, scope: this.scope }, ...sent(call) }));
  }

  /** Everything of the scope. `{user}` alone is that person in the whole workspace, groups too. */
  forget(call?: CallOptions): Promise<Schemas["ForgottenOut"]> {
    return unwrap(this.api.POST("/v1/forget", { body: { scope: this.scope }, ...sent(call) }));
  }

  // -- records ------------------------------------------------------------------------------------

  listRecords(options: ListOptions = {}, call?: CallOptions): Promise<Schemas["PageOut"]> {
    return unwrap(this.api.GET("/v1/memories", { params: { query: { ...this.scope, ...options } }, ...sent(call) }));
  }

  /** Every record of the scope, a page at a time. */
  async *records(options: Omit<ListOptions, "after"> = {}, call?: CallOptions): AsyncGenerator<MemoryRecord> {
    let after: string | null | undefined;
    do {
      const page = await this.listRecords({ ...options, ...(after ? { after } : {}) }, call);
      yield* page.items;
      after = page.next;
    } while (after);
  }

  /** Records of the scope's partition, newest first. */
  browse(options: BrowseOptions = {}, call?: CallOptions): Promise<Schemas["PageOut"]> {
    return unwrap(this.api.GET("/v1/browse", { params: { query: { ...this.scope, ...options } }, ...sent(call) }));
  }

  getRecord(id: string, call?: CallOptions): Promise<MemoryRecord> {
    return unwrap(this.api.GET("/v1/memories/{id}", { params: { path: { id }, query: this.scope }, ...sent(call) }));
  }

  updateRecord(id: string, change: Unscoped<Schemas["MemoryChange"]>, call?: CallOptions): Promise<MemoryRecord> {
    const body = { ...change, scope: this.scope };
    return unwrap(this.api.PATCH("/v1/memories/{id}", { params: { path: { id } }, body, ...sent(call) }));
  }

  forgetRecord(id: string, call?: CallOptions): Promise<Schemas["RemovedOut"]> {
    return unwrap(this.api.DELETE("/v1/memories/{id}", { params: { path: { id }, query: this.scope }, ...sent(call) }));
  }

  recordHistory(id: string, call?: CallOptions): Promise<Schemas["VersionsOut"]> {
    return unwrap(this.api.GET("/v1/memories/{id}/history", { params: { path: { id }, query: this.scope }, ...sent(call) }));
  }

  recordEvidence(id: string, call?: CallOptions): Promise<Schemas["EvidenceOut"]> {
    return unwrap(this.api.GET("/v1/memories/{id}/evidence", { params: { path: { id }, query: this.scope }, ...sent(call) }));
  }

  // -- facts --------------------------------------------------------------------------------------

  /** Correct a fact. The answer has the new fact's id; the old one is kept as history and not learned again. */
  correctFact(id: string, text: string, call?: CallOptions): Promise<Schemas["IdOut"]> {
    const body = { text, scope: this.scope };
    return unwrap(this.api.POST("/v1/facts/{id}/correct", { params: { path: { id } }, body, ...sent(call) }));
  }

  // -- profiles -----------------------------------------------------------------------------------

  /** What is known about a user or a group, as Markdown; a TaishiError with status 404: nothing. */
  getProfile(type: EntityType, id: string, call?: CallOptions): Promise<Schemas["ProfileOut"]> {
    const path = { entity_type: type, entity_id: id };
    return unwrap(this.api.GET("/v1/profiles/{entity_type}/{entity_id}", { params: { path, query: this.scope }, ...sent(call) }));
  }

  setProfile(type: EntityType, id: string, page: Schemas["ProfileIn"], call?: CallOptions): Promise<Schemas["ProfileOut"]> {
    const path = { entity_type: type, entity_id: id };
    const body = { workspace: this.scope.workspace, ...page };
    return unwrap(this.api.PUT("/v1/profiles/{entity_type}/{entity_id}", { params: { path }, body, ...sent(call) }));
  }

  // -- notes --------------------------------------------------------------------------------------

  listNotes(call?: CallOptions): Promise<Schemas["NotesOut"]> {
    return unwrap(this.api.GET("/v1/notes", { params: { query: this.scope }, ...sent(call) }));
  }

  readNote(path: string, call?: CallOptions): Promise<Schemas["NoteOut"]> {
    return unwrap(this.api.GET("/v1/notes/{path}", { params: { path: { path }, query: this.scope }, ...sent(call) }));
  }

  /** With `expected_version`, refused (409) if somebody changed it in the meantime. */
  writeNote(path: string, text: string, options: Without<Schemas["NoteIn"], "text"> = {}, call?: CallOptions): Promise<Schemas["WrittenOut"]> {
    const body = { ...options, text, scope: this.scope };
    return unwrap(this.api.PUT("/v1/notes/{path}", { params: { path: { path } }, body, ...sent(call) }));
  }

  removeNote(path: string, call?: CallOptions): Promise<Schemas["Done"]> {
    return unwrap(this.api.DELETE("/v1/notes/{path}", { params: { path: { path }, query: this.scope }, ...sent(call) }));
  }

  // -- sessions: the scope names one --------------------------------------------------------------

  listSessions(call?: CallOptions): Promise<Schemas["SessionsOut"]> {
    return unwrap(this.api.GET("/v1/sessions", { params: { query: this.scope }, ...sent(call) }));
  }

  /** Messages in the OpenAI chat format. */
  appendMessages(messages: Schemas["AppendIn"]["messages"], call?: CallOptions): Promise<Schemas["AppendOut"]> {
    return unwrap(this.api.POST("/v1/sessions/append", { body: { messages, scope: this.scope }, ...sent(call) }));
  }

  /** Take the last message back; `message` is null if there is none. */
  popMessage(call?: CallOptions): Promise<Schemas["PoppedOut"]> {
    return unwrap(this.api.POST("/v1/sessions/pop", { body: { scope: this.scope }, ...sent(call) }));
  }

  /** What to send to a model, within this many tokens. */
  sessionWindow(maxTokens?: number, call?: CallOptions): Promise<Schemas["WindowOut"]> {
    const body = { max_tokens: maxTokens, scope: this.scope };
    return unwrap(this.api.POST("/v1/sessions/window", { body, ...sent(call) }));
  }

  endSession(call?: CallOptions): Promise<Schemas["SessionOut"]> {
    return unwrap(this.api.POST("/v1/sessions/end", { body: { scope: this.scope }, ...sent(call) }));
  }

  clearSession(call?: CallOptions): Promise<Schemas["ClearedOut"]> {
    return unwrap(this.api.DELETE("/v1/sessions", { params: { query: this.scope }, ...sent(call) }));
  }

  getScratchpad(call?: CallOptions): Promise<Schemas["ScratchpadOut"]> {
    return unwrap(this.api.GET("/v1/sessions/scratchpad", { params: { query: this.scope }, ...sent(call) }));
  }

  patchScratchpad(fields: Unscoped<Schemas["ScratchpadIn"]>, call?: CallOptions): Promise<Schemas["ScratchpadOut"]> {
    return unwrap(this.api.PATCH("/v1/sessions/scratchpad", { body: { ...fields, scope: this.scope }, ...sent(call) }));
  }

  // -- the server ---------------------------------------------------------------------------------

  /** What the key may do. */
  whoami(call?: CallOptions): Promise<Schemas["WhoOut"]> {
    return unwrap(this.api.GET("/v1/whoami", { ...sent(call) }));
  }
}

function connect(options: TaishiOptions): TaishiApi {
  return createClient({
    baseUrl: checkedAddress(options.baseUrl).replace(/\/+$/, "").replace(/\/v1$/, ""),
    apiKey: options.apiKey,
    headers: (): Record<string, string> => (options.language ? { "Accept-Language": options.language } : {}),
    fetch: namingTheKey(retryingFetch(options), Boolean(options.apiKey)),
  });
}

/** `127.0.0.1:8321` alone is no address: `fetch` would only say that it cannot read it. */
function checkedAddress(given: string): string {
  const text = String(given ?? "").trim();
  if (/^https?:\/\/[^/]/i.test(text) && URL.canParse(text)) return text;
  const advice = /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `write http://${text} or https://${text}` : "write http://HOST:PORT or https://HOST";
  throw new TaishiError({
    status: 0,
    code: "address",
    title: "The address cannot be used",
    detail: `baseUrl ${JSON.stringify(text)} is not the address of a server: ${advice}`,
  });
}

function sent(call: CallOptions = {}): { signal?: AbortSignal; headers?: Record<string, string> } {
  const headers = call.idempotencyKey ? { "Idempotency-Key": call.idempotencyKey } : undefined;
  return { ...(call.signal ? { signal: call.signal } : {}), ...(headers ? { headers } : {}) };
}
