import io.sentry.Sentry;

/** Meets the limits of Faultline with io.sentry:sentry; test/sdk/limits.ts asserts how it goes on. */
public class Limits {
  public static void main(String[] arguments) throws InterruptedException {
    Sentry.init(options -> options.setDsn(System.getenv("FAULTLINE_TEST_DSN")));

    send("too-large", 300);
    send("after-413", 0);
    for (int number = 1; number <= 3; number++) send("limited-" + number, 0);
    Thread.sleep(2_500);
    send("after-429", 0);
  }

  static void send(String name, int parts) {
    Sentry.withScope(
        scope -> {
          scope.setTag("case", name);
          for (int part = 0; part < parts; part++) scope.setExtra("part-" + part, "x".repeat(4000));
          Sentry.captureMessage(name);
        });
    Sentry.flush(5_000);
  }
}
