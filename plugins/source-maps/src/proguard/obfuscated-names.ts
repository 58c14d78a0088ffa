import type { Frame } from "@faultline/proto";

/** Classes of the runtime and of Android itself, which no application contains, so that no mapping has them. */
const runtime = /^(?:java|javax|jdk|sun|com\.sun|android|dalvik|libcore|com\.android\.internal)\./;

/** The class of an exception: the SDK for Java sends its package as `module`. */
export const classOf = ({ module, type }: { readonly module: string; readonly type: string }): string =>
  module === "" ? type : `${module}.${type}`;

/** Whether the class of a frame may be one that ProGuard or R8 renamed. */
export const mayBeObfuscated = ({ module }: Pick<Frame, "module">): boolean => module !== "" && !runtime.test(module);

/** Whether the class of a frame is named as ProGuard and R8 name them: one or two letters, in any package. */
export const looksObfuscated = ({ module }: Pick<Frame, "module">): boolean => /^(?:[\w$]+\.)*[a-z]{1,2}$/.test(module);
