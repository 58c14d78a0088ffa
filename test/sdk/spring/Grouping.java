package depot;

import io.sentry.Sentry;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.util.function.Supplier;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Fails in classes that Spring and Hibernate generate; test/sdk/spring/language.ts asserts which are one error. The argument is
 * the number of the run, from 0: so many classes are generated before, so that those of each run have names of their own.
 */
@SpringBootApplication
public class Grouping {
  public static void main(String[] arguments) {
    for (int earlier = Integer.parseInt(arguments[0]); earlier > 0; earlier -= 1) generateProxy(Shelves.class);
    try (var application = SpringApplication.run(Grouping.class)) {
      Shelves shelves = application.getBean(Shelves.class);
      report("transaction", () -> shelves.take(17 + Integer.parseInt(arguments[0])));
      report("configuration", () -> application.getBean(Scales.class));
      report("entity", () -> shelves.find(4711).label());
      Sentry.flush(20_000);
    }
  }

  static void generateProxy(Class<?> of) {
    ProxyFactory factory = new ProxyFactory();
    factory.setTargetClass(of);
    factory.setProxyTargetClass(true);
    factory.addInterface(Runnable.class);
    factory.getProxyClass(of.getClassLoader());
  }

  static void report(String name, Supplier<Object> act) {
    try {
      act.get();
    } catch (RuntimeException error) {
      Sentry.setTag("case", name);
      Sentry.captureException(error);
    }
  }
}

@Service
class Shelves {
  private final EntityManager entities;

  Shelves(EntityManager entities) {
    this.entities = entities;
  }

  @Transactional
  public Object take(int number) {
    throw new IllegalStateException("shelf " + number + " is empty");
  }

  /** Hibernate reads it when it is asked for its label, which is too late behind the transaction. */
  @Transactional
  public Shelf find(int number) {
    return entities.getReference(Shelf.class, number);
  }
}

@Entity
class Shelf {
  @Id int number;
  String label;

  public String label() {
    return label;
  }
}

class Scales {}

@Configuration
class Equipment {
  @Bean
  @Lazy
  Scales scales() {
    throw new IllegalArgumentException("the scales are unplugged");
  }
}
