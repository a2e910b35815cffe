/** A typed client of Taishi's REST interface. `schema.ts` is generated from its OpenAPI description. */
export { TaishiError, problemOf, type FieldProblem, type Problem } from "./errors.js";
export { createClient, unwrap, type ApiOptions, type Schemas, type TaishiApi } from "./http.js";
export { retryAfter, retryingFetch, type Fetch, type RetryOptions } from "./retry.js";
export type { components, operations, paths } from "./schema.js";
export * from "./taishi.js";
