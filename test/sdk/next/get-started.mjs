/** Starts the built application, asks for the page that throws, and ends once its event was sent. */
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

const child = spawn(
  process.execPath,
  ["node_modules/next/dist/bin/next", "start", "--port", "0", "--hostname", "127.0.0.1"],
  {
    stdio: ["ignore", "pipe", "pipe"],
  },
);
let output = "";
for (const stream of [child.stdout, child.stderr]) {
  stream.on("data", (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
}
const found = async (pattern) => {
  for (let n = 0; n < 200; n++, await pause(100)) {
    const match = pattern.exec(output);
    if (match) return match;
  }
  throw new Error(`the application did not print ${pattern}`);
};
const [, port] = await found(/http:\/\/127\.0\.0\.1:(\d+)/);
await found(/Ready/);
const answer = await fetch(`http://127.0.0.1:${port}/faultline-test`);
if (answer.status !== 500) throw new Error(`the page answered ${answer.status}`);
await pause(3000); // the SDK sends after the answer
child.kill();
