import { clientNetwork, wideNetwork, type Clock } from "@faultline/plugin";
import { RecentTimes } from "@faultline/plugin/flow";

/** Forms of strangers that are read in a minute, from one network and from one wide network. */
const perNetwork = 60;
const perWideNetwork = 300;

/**
 * Counts the forms that anybody may send, by network, before they are read: the sign-in, invitations and new passwords. Those that
 * begin a session are forgiven, so that an office that signs in at nine is not refused. Browsers with the cookie of an earlier
 * sign-in count apart, so that guesses without one do not refuse them. Each process counts for itself.
 */
export class OpenForms {
  readonly #read: RecentTimes;

  constructor(clock: Clock) {
    this.#read = new RecentTimes(clock, { windowMs: 60_000, timesKept: perWideNetwork });
  }

  /** Counts a form, or returns after how many seconds it may be sent again; refused ones do not count. */
  begin(sender: Sender): number {
    const [network, wide] = keysOf(sender);
    if (this.#read.of(network).length >= perNetwork) return this.#read.secondsUntilFewer(network);
    if (this.#read.of(wide).length >= perWideNetwork) return this.#read.secondsUntilFewer(wide);
    for (const key of [network, wide]) this.#read.note(key);
    return 0;
  }

  forgive(sender: Sender): void {
    for (const key of keysOf(sender)) this.#read.takeBack(key);
  }
}

interface Sender {
  readonly clientAddress: string;
  /** It has the cookie of an earlier sign-in, which nobody has checked yet. */
  readonly hasDeviceToken: boolean;
}

function keysOf({ clientAddress, hasDeviceToken }: Sender): readonly [network: string, wide: string] {
  const kind = hasDeviceToken ? "device" : "stranger";
  return [`${kind} ${clientNetwork(clientAddress)}`, `${kind} ${wideNetwork(clientAddress)} wide`];
}
