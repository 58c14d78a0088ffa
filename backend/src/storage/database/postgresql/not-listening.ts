/** The server, or a pooler before it, passes on no notifications. */
export class NotListening extends Error {
  constructor() {
    super("notifications are not passed on");
  }
}
