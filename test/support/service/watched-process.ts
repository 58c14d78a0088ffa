/** A service in a process that reports to its parent how long the event loop was blocked; see watched-server.ts. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { readConfig } from "../../../backend/src/config.ts";
import { startFaultline } from "../../../backend/src/main.ts";

const { httpUrl, grpcAddress, stop } = await startFaultline(readConfig(process.env));
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on("message", () => {
  process.send?.({ longestMs: delay.max / 1e6 });
  delay.reset();
});
process.once("disconnect", () => void stop());
process.send?.({ url: httpUrl, grpcAddress });
