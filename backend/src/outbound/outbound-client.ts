import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { OutboundFailure, type Outbound, type OutboundAnswer, type OutboundRequest } from "@faultline/plugin";
import type { OutboundRules } from "../config.ts";

/** Every request to another system goes through here. STUB: the guard comes with the real one. */
export class OutboundClient implements Outbound {
  readonly rules: OutboundRules;

  constructor(options: { rules: OutboundRules; own: () => readonly string[] }) {
    this.rules = options.rules;
  }

  request({ method, url, headers, body, maxBytes, timeoutMs }: OutboundRequest): Promise<OutboundAnswer> {
    return new Promise((resolve, reject) => {
      const target = new URL(url);
      const send = target.protocol === "https:" ? httpsRequest : httpRequest;
      const request = send(target, { method, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) });
      request.on("error", (error) => reject(new OutboundFailure("socket", error.message, { cause: error })));
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > maxBytes) response.destroy(new OutboundFailure("too_big", "too big", { bytes: size }));
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.join(", ") ?? ""]),
            ),
            body: Buffer.concat(chunks),
          }),
        );
      });
      request.end(body);
    });
  }
}
