/** An invariant that does not hold. `rule` is its number in the list of invariants (see `README.md` here). */
export class Violation extends Error {
  readonly rule: string;

  constructor(rule: string, message: string) {
    super(`${rule}: ${message}`);
    this.rule = rule;
  }
}

/** Throws a `Violation` unless the condition holds. The message is only made when it does not. */
export function hold(condition: boolean, rule: string, message: () => string): void {
  if (!condition) throw new Violation(rule, message());
}
