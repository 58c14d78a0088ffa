#!/usr/bin/env node
import { commandLine } from "./command-line.ts";
import { watchOutput } from "./output.ts";

process.umask(0o077); // backups hold keys, so only their owner may read them
try {
  const program = await commandLine(process.argv.slice(2));
  program.hook("preAction", (_, command) => {
    // The service has other outputs as well, and stops in order.
    if (command.name() !== "serve") watchOutput();
  });
  await program.parseAsync();
} catch (error) {
  (await import("./failure.ts")).fail(error);
}
