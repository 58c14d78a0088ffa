import io.sentry.Sentry;
import io.sentry.protocol.Feedback;
import io.sentry.protocol.SentryId;

/** Sends with the newest io.sentry:sentry what test/sdk/feedback-features.ts asserts. */
public class NewestFeedback {
  public static void main(String[] arguments) {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("FAULTLINE_TEST_DSN"));
          options.setRelease("shop@1.2.3");
          options.setEnvironment("staging");
        });
    Sentry.captureFeedback(feedback("Ann", "ann@shop.example", "The till is empty."));
    SentryId event = Sentry.captureException(new IllegalStateException("the till fell down"));
    Feedback about = feedback("Bo", "bo@shop.example", "It fell.");
    about.setAssociatedEventId(event);
    Sentry.captureFeedback(about);
    Sentry.flush(20_000);
  }

  static Feedback feedback(String name, String email, String message) {
    Feedback feedback = new Feedback(message);
    feedback.setName(name);
    feedback.setContactEmail(email);
    return feedback;
  }
}
