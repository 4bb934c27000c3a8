import fc from "fast-check";
import { FramebatchError, type BatchedModel, type Item } from "framebatch";
import { EVERY_KIND } from "../../fixtures/anything.js";
import type { Subject } from "./subject.js";

/** So many at a time, so that the queue stays short. */
const CHUNK = 500;

export interface WildFindings {
  readonly made: number;
  /** Calls that threw instead of giving a promise that rejects. */
  readonly thrown: number;
  /** Calls by how they ended: an error's code, its name where it is not framebatch's, or "answered". */
  readonly ends: Readonly<Record<string, number>>;
  readonly unhandled: number;
}

/** Anything at all in place of an input, each among so many valid ones. */
export async function wildInputs(
  subject: Subject,
  count: number,
  validForEach: number,
  seed: number,
): Promise<WildFindings> {
  const wild = new WildCalls(subject.model);
  const biting = hostile();
  let unhandled = 0;
  addEventListener("unhandledrejection", () => {
    unhandled += 1;
  });
  for (let made = 0; made < count; made += CHUNK) {
    const numRuns = Math.min(CHUNK, count - made) - biting.length;
    // Added by hand: fast-check itself looks into what it hands out.
    for (const input of [...fc.sample(ANYTHING, { seed: seed + made, numRuns }), ...biting]) {
      wild.call(input);
      subject.load.burst(validForEach);
    }
    await Promise.all([wild.settled(), subject.load.atRest()]);
  }
  return { made: wild.made, thrown: wild.thrown, ends: Object.fromEntries(wild.ends), unhandled };
}

/** Values of every kind, also as the elements, the dims or the type of a tensor. */
const ANYTHING = fc.oneof(
  { weight: 4, arbitrary: fc.anything(EVERY_KIND) },
  { weight: 1, arbitrary: fc.record({ x: fc.anything(EVERY_KIND) }) },
  { weight: 1, arbitrary: fc.record({ x: fc.record({ data: fc.anything(EVERY_KIND), dims: fc.anything() }) }) },
  { weight: 1, arbitrary: fc.float32Array({ maxLength: 63 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(fc.string(), fc.bigInt()), { minLength: 64, maxLength: 64 }) },
);

/** Values that bite when they are touched. */
function hostile(): unknown[] {
  const thrower = () => {
    throw new Error("touched");
  };
  const detached = new Float32Array(64);
  structuredClone(detached, { transfer: [detached.buffer] });
  return [
    new Proxy({}, { get: thrower, has: thrower, ownKeys: thrower, getOwnPropertyDescriptor: thrower }),
    {
      get x() {
        return thrower();
      },
    },
    {
      x: {
        get data() {
          return thrower();
        },
      },
    },
    {
      x: {
        length: 64,
        get 0() {
          return thrower();
        },
      },
    },
    { x: detached },
    { x: JSON.parse('{"__proto__": {"data": [], "dims": [64]}}') },
    { length: 2 ** 53 },
    { x: { data: { length: -1 }, dims: [64] } },
    { x: { data: new Float32Array(64), dims: { length: Infinity } } },
    Promise.resolve(new Float32Array(64)),
    globalThis,
  ];
}

class WildCalls {
  readonly ends = new Map<string, number>();
  made = 0;
  thrown = 0;
  readonly #model: BatchedModel;
  readonly #open: Promise<void>[] = [];

  constructor(model: BatchedModel) {
    this.#model = model;
  }

  call(input: unknown): void {
    this.made += 1;
    try {
      this.#open.push(
        this.#predict(input).then(
          () => this.#ended("answered"),
          (error: unknown) => this.#failed(error),
        ),
      );
    } catch {
      this.thrown += 1;
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#open.splice(0));
  }

  /** The types do not allow it, but JavaScript does. */
  #predict(input: unknown): Promise<unknown> {
    const predict: (item: Item) => Promise<unknown> = this.#model.predict.bind(this.#model);
    return Reflect.apply(predict, undefined, [input]);
  }

  #failed(error: unknown): void {
    if (error instanceof FramebatchError) this.#ended(error.code);
    else this.#ended(error instanceof Error ? error.name : typeof error);
  }

  #ended(how: string): void {
    this.ends.set(how, (this.ends.get(how) ?? 0) + 1);
  }
}
