import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Starts the bare server; its address. It ends with this process. */
export async function startFloor(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "floor.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  const [address] = (await once(child.stdout, "data")) as [Buffer];
  child.unref();
  return address.toString().trim();
}
