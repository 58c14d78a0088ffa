import type { DescMessage, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Call } from "@faultline/plugin";

/** A service on a server. Each method checks its caller itself. */
export interface ServedService {
  readonly service: DescService;
  readonly methods: Readonly<Record<string, UnaryMethod | StreamingMethod>>;
}

export type UnaryMethod = (request: MessageInitShape<DescMessage>, call: Call) => Promise<MessageShape<DescMessage>>;
export type StreamingMethod = (request: MessageInitShape<DescMessage>, call: Call) => AsyncIterable<unknown>;
