/** The language in which operations of the REST API are defined. */
export * from "./answer.ts";
export * from "./body.ts";
export { wordOf, wordsOf } from "./field-words.ts";
export * from "./iso-time.ts";
export * from "./message-shape.ts";
export * from "./operation.ts";
export * from "./pages.ts";
export * from "./parameter.ts";
export { messageParam, paramsOf, requestOf } from "./request.ts";
export * from "./schema.ts";
export * from "./shape.ts";
