/** The variables `FAULTLINE_*` of an environment; gathers what is wrong with their values. */
export class Variables {
  /** Sentences without a full stop. */
  readonly faults: string[] = [];
  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** Without space around it; undefined when nothing is left. */
  text(name: string): string | undefined {
    return this.#environment[`FAULTLINE_${name}`]?.trim() || undefined;
  }

  /** The entries of a list that is written with commas. */
  list(name: string): string[] {
    return (
      this.text(name)
        ?.split(",")
        .flatMap((entry) => entry.trim() || []) ?? []
    );
  }

  choice<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    const found = allowed.find((one) => one === value);
    this.check(found !== undefined, `FAULTLINE_${name} must be one of ${allowed.join(", ")}`);
    return found ?? otherwise;
  }

  secret(name: string, least = 8, advice = ""): string | undefined {
    const value = this.text(name);
    const isRight = value === undefined || (value.length >= least && value.length <= 1024);
    this.check(isRight, `FAULTLINE_${name} must have ${least} to 1,024 characters${advice}`);
    return value;
  }

  rate(name: string, otherwise: number): number {
    const value = this.text(name) ?? String(otherwise);
    this.check(/^\d{1,7}$/.test(value), `FAULTLINE_${name} must be a whole number from 0 to 9999999`);
    return Number(value);
  }

  check(isRight: boolean, fault: string): void {
    if (!isRight) this.faults.push(fault);
  }
}
