/** The size of an output dimension, computed from sizes of the items. */
export interface SizeExpression {
  /** Indices of the sizes that it depends on, at least one. */
  readonly indices: readonly number[];
  /** Returns an integer, at least 0. */
  readonly valueOf: (sizes: readonly number[]) => number;
}

/**
 * Far more than exporters write. The recursive reader needs a limit, because the name comes from the model file and may
 * contain any number of brackets.
 */
const MAX_LENGTH = 512;

/**
 * Parses the name of a computed dimension, such as "seq", "seq + 2", "floor(width/2)" or "(s0 - 1)//2 + 1". Returns
 * `null` if it is not such an expression, has more than 512 characters, or contains an unknown name.
 */
export function readSizeExpression(text: string, indexBySymbol: ReadonlyMap<string, number>): SizeExpression | null {
  const index = indexBySymbol.get(text);
  if (index !== undefined) return { indices: [index], valueOf: (sizes) => sizes[index] ?? NaN };
  if (text.length > MAX_LENGTH) return null;
  const tokens = text.match(/[A-Za-z_][\w.]*|\d+|\/\/|[-+*/(),]|\S/g) ?? [];
  const reader = new Reader(tokens, indexBySymbol);
  const valueOf = reader.readAll();
  const indices = [...reader.indices];
  if (valueOf === null || indices.length === 0) return null;
  return { indices, valueOf: (sizes) => Math.max(0, Math.floor(valueOf(sizes))) };
}

type Value = SizeExpression["valueOf"];

const FUNCTIONS: ReadonlyMap<string, (...values: number[]) => number> = new Map([
  ["floor", Math.floor],
  ["ceil", Math.ceil],
  ["ceiling", Math.ceil],
  ["max", Math.max],
  ["min", Math.min],
]);

type Operators = ReadonlyMap<string, (a: number, b: number) => number>;

const SUMS: Operators = new Map([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
]);

const PRODUCTS: Operators = new Map([
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["//", (a, b) => Math.floor(a / b)],
]);

/** A recursive-descent parser. Anything that it cannot parse makes the whole result `null`. */
class Reader {
  readonly indices = new Set<number>();
  readonly #tokens: readonly string[];
  readonly #indexBySymbol: ReadonlyMap<string, number>;
  #next = 0;

  constructor(tokens: readonly string[], indexBySymbol: ReadonlyMap<string, number>) {
    this.#tokens = tokens;
    this.#indexBySymbol = indexBySymbol;
  }

  readAll(): Value | null {
    const value = this.#sum();
    return this.#next === this.#tokens.length ? value : null;
  }

  #sum(): Value | null {
    return this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#factor()));
  }

  #chain(operators: Operators, operand: () => Value | null): Value | null {
    let value = operand();
    for (;;) {
      const operator = operators.get(this.#tokens[this.#next] ?? "");
      if (operator === undefined || value === null) return value;
      this.#next += 1;
      const [left, right] = [value, operand()];
      value = right === null ? null : (sizes) => operator(left(sizes), right(sizes));
    }
  }

  #factor(): Value | null {
    const token = this.#tokens[this.#next++] ?? "";
    if (token === "(") return this.#closed(this.#sum());
    if (/^\d/.test(token)) return () => Number(token);
    const call = this.#tokens[this.#next] === "(" ? FUNCTIONS.get(token.toLowerCase()) : undefined;
    if (call !== undefined) return this.#call(call);
    const index = this.#indexBySymbol.get(token);
    if (index === undefined) return null;
    this.indices.add(index);
    return (sizes) => sizes[index] ?? NaN;
  }

  #call(call: (...values: number[]) => number): Value | null {
    const values: Value[] = [];
    do {
      this.#next += 1;
      const value = this.#sum();
      if (value === null) return null;
      values.push(value);
    } while (this.#tokens[this.#next] === ",");
    return this.#closed((sizes) => call(...values.map((value) => value(sizes))));
  }

  #closed(value: Value | null): Value | null {
    return this.#tokens[this.#next++] === ")" ? value : null;
  }
}
