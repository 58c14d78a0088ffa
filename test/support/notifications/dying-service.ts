/**
 * A service in a process that, after a message from its parent, kills itself with SIGKILL at a point of a delivery. It
 * recognises the point by the statements of the SQLite driver and by the sockets that are made. `node dying-service.ts
 * <point> <milliseconds>`, with the environment of a service; its clock is ahead by the milliseconds.
 */
import { subscribe } from "node:diagnostics_channel";
import sqlite3 from "sqlite3";
import { readConfig } from "../../../backend/src/config.ts";
import { startFaultline } from "../../../backend/src/main.ts";
import type { KillPoint } from "./kill-points.ts";

const point = process.argv[2] as KillPoint;
const aheadMs = Number(process.argv[3]);
let isArmed = false;

function die(): void {
  if (!isArmed) return;
  process.kill(process.pid, "SIGKILL");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // nothing more happens
}

/** The purpose of the running transaction. */
let stage: "delivery" | "claim" | "finish" | undefined;

/** Called before a statement begins. */
function before(sql: string): void {
  if (sql.startsWith("begin")) stage = undefined;
  else if (sql.startsWith(`insert into "notifier_delivery"`)) stage = "delivery";
  else if (/^update "notifier_channel" set "lease_token" = \?, "lease_until" = \? .*returning/.test(sql))
    stage = "claim";
  else if (sql.startsWith(`update "notifier_channel" set "lease_token" = ?, "lease_until" = ?, "next_try_at"`)) {
    stage = "finish";
    if (point === "after the answer") die();
  } else if (sql === "commit" && stage === "finish" && point === "before the mark") die();
}

/** Called when a statement has ended. */
function after(sql: string): void {
  if (sql !== "commit") return;
  if (stage === "delivery" && point === "after the commit") die();
  if (stage === "claim" && point === "after the lease") die();
}

type Callback = (...results: unknown[]) => void;
const { prepare } = sqlite3.Database.prototype;
sqlite3.Database.prototype.prepare = function (this: sqlite3.Database, sql: string, ...rest: unknown[]) {
  const statement = Reflect.apply(prepare, this, [sql, ...rest]) as sqlite3.Statement;
  for (const name of ["all", "run"] as const) {
    const run = statement[name];
    statement[name] = function (this: sqlite3.Statement, parameters: unknown, done: Callback) {
      before(sql);
      return Reflect.apply(run, this, [
        parameters,
        function (this: unknown, ...results: unknown[]) {
          after(sql);
          Reflect.apply(done, this, results);
        },
      ]) as sqlite3.Statement;
    } as typeof run;
  }
  return statement;
} as typeof prepare;

if (point === "before the connection") subscribe("net.client.socket", die);

process.on("message", () => (isArmed = true));
const clock = { now: () => Date.now() + aheadMs };
const { httpUrl, grpcAddress } = await startFaultline(readConfig(process.env), clock);
process.send?.({ url: httpUrl, grpcAddress });
