/** A refused chunk upload: HTTP status 400 and a sentence for the person whose build log shows it. */
export class UploadError extends Error {
  readonly status = 400;

  constructor(sentence: string) {
    super(sentence);
    this.name = "UploadError";
  }
}
