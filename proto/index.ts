/** The one schema of Faultline: every message and service of `faultline.v1`. */
export * from "./gen/index.ts";
export { answerTo } from "./reasons.ts";
export { wordOf, words } from "./words.ts";
