import { join } from "node:path";
import { probe, type Command } from "../command.ts";
import type { Language } from "../language.ts";
import { wholeLarge } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";

const folder = import.meta.dirname;

function common(version: string): Omit<Language, "build"> {
  return {
    name: "rust",
    sdk: "sentry",
    version,
    start: (dir, program) => ({ words: [join(dir, "target/debug", program)], cwd: dir, limitSeconds: 30 }),
    features: standardFeatures(version, {
      types: ["CardError", "PaymentError"],
      unhandled: { type: "panic", level: "fatal", statesHandled: true },
      large: wholeLarge,
      sessions: { crashed: 1 },
    }),
    remarks: ["the SDK sends a handled error without a stack, and a panic with a stack"],
  };
}

function build(cwd: string, dir: string, ...flags: readonly string[]): Command {
  const target = join(dir, "target");
  return { words: ["cargo", "build", "--quiet", ...flags, "--target-dir", target], cwd, limitSeconds: 480 };
}

export const rust: Language = {
  ...common("0.31.0"),
  build: (dir) => [probe("cargo", "--version"), build(folder, dir, "--locked")],
};

const newest = "0.49.5";

export const newestRust: Language = {
  ...common(newest),
  build: (dir) => [
    probe("cargo", "--version"),
    { words: ["cp", "-R", "src", dir], cwd: folder, limitSeconds: 10 },
    { words: ["cp", "newest.toml", join(dir, "Cargo.toml")], cwd: folder, limitSeconds: 10 },
    build(dir, dir),
  ],
};
