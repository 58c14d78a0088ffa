/** Texts that people and strangers give, as other people may see them. */
export * from "./checked-name.ts";
export * from "./clean-text.ts";
export * from "./markdown.ts";
export * from "./markup.ts";
export * from "./project-place.ts";
