import { fromBinary, type DescMessage, type Message } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type MemoryReservation } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { countEntries } from "./entry-limits.ts";

/** What a message, map entry or list item takes in memory at least, in bytes; an empty message takes 300. */
const entryBytes = 100;

/** A request that arrived and has not ended yet: its bytes wait, because its parsed form takes up to 150 times as much. */
export class UnparsedRequest {
  readonly $typeName = "";
  readonly #schema: DescMessage;
  readonly #bytes: Uint8Array;
  /** The memory of its call. */
  reservation: MemoryReservation | undefined;

  constructor(schema: DescMessage, bytes: Uint8Array) {
    this.#schema = schema;
    this.#bytes = bytes;
  }

  /** Refuses with INVALID_FIELD what is malformed or has too many entries, and with OVERLOADED what does not fit into memory. */
  parse(): Message {
    const entries = this.#read(() => countEntries(this.#schema, this.#bytes));
    if (this.reservation?.hold(this.reservation.bytes + entries * entryBytes) === false) {
      throw new ServiceError(ErrorReason.OVERLOADED, "Too many requests are in progress. Try again later.");
    }
    return this.#read(() => fromBinary(this.#schema, this.#bytes));
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw invalidField("", `The request is not a message of the type ${this.#schema.typeName}. Send it in protobuf.`);
    }
  }
}
