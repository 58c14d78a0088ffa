/** Why the service does not start: one sentence that says what to do. The process ends with exit code 1. */
export class StartRefusal extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = "StartRefusal";
  }
}
