import { idle } from "#lib/idle.ts";

/** A component whose file is loaded once the page is idle. */
export class Late<Loaded> {
  /** Undefined until then, and where the file could not be loaded. */
  component = $state.raw<Loaded>();

  /** To be called in an effect: the server leaves that out, and else the page would wait for the styles of the file. */
  load(load: () => Promise<{ default: Loaded }>): void {
    void idle()
      .then(load)
      .then(
        (file) => (this.component = file.default),
        () => undefined,
      );
  }
}
