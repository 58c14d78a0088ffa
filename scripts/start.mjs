/**
 * Starts the service with the settings of Node and the C library in node-settings.json. At full load they give a tenth
 * more events a second than Node's defaults, in less memory. It keeps Node's compile cache, so the next start is faster
 * and takes 6 MB less. `npm start`, the container image and the systemd unit use this file. Its parameters are the
 * parameters of `faultline serve`, such as `--role=bridge`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import settings from "./node-settings.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const program = [join(root, "backend/build/faultline.js"), "serve", ...process.argv.slice(2)];
const command = [process.execPath, ...settings.flags, ...program];
const NODE_COMPILE_CACHE = join(root, "node_modules/.cache/compiled");
const environment = { ...settings.environment, NODE_COMPILE_CACHE, ...process.env };

if (process.platform === "win32") {
  const [node, ...args] = command;
  const service = spawn(node, args, { stdio: "inherit", env: environment });
  service.once("exit", (code) => process.exit(code ?? 1));
} else {
  process.execve(command[0], command, environment); // replaces this process, which signals and service managers know
}
