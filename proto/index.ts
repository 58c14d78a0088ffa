/** The one schema of Faultline: every message and service of `faultline.v1`. */
export * from "./gen/index.ts";
export { answerTo, wordOf, words } from "./words.ts";
