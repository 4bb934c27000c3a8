import type { Outputs } from "framebatch";
import type { Predictor } from "./load.js";

/** A planted bug that affects one call in `every`. The soak must detect each kind. */
export interface Plant {
  readonly bug: "leak" | "wrong row" | "lost" | "duplicated" | "one bit";
  readonly every: number;
  /** The number of initial calls without the bug. @default 0 */
  readonly after?: number;
}

/** Returns the model with the bug. */
export function planted({ bug, every, after = 0 }: Plant, model: Predictor): Predictor {
  const spoil = BUGS[bug]();
  let calls = 0;
  return {
    predict: (item, options) => {
      const answer = model.predict(item, options);
      calls += 1;
      return calls > after && calls % every === 0 ? spoil(answer) : answer;
    },
  };
}

type Spoil = (answer: Promise<Outputs>) => Promise<Outputs>;

const BUGS = {
  /** Leaks one object of 16 bytes. */
  leak: () => {
    const kept: object[] = [];
    return (answer) => {
      kept.push({ bytes: kept.length });
      return answer;
    };
  },
  /** Returns the row of another request. */
  "wrong row": () => {
    let other: Promise<Outputs> | null = null;
    return (answer) => {
      const mine = other ?? answer;
      other = answer;
      return mine;
    };
  },
  lost: () => () => new Promise(() => {}),
  /** Settles twice. A promise cannot do this, but an object with a replaced `then` can. */
  duplicated: () => (answer) => {
    const twice = answer.then((outputs) => outputs);
    const then = twice.then.bind(twice);
    Reflect.set(twice, "then", (onAnswer: (outputs: Outputs) => void, onError: (error: unknown) => void) => {
      void then(onAnswer);
      return then(onAnswer, onError);
    });
    return twice;
  },
  "one bit": () => (answer) =>
    answer.then((outputs) => {
      const data = outputs["y"]?.data;
      if (data instanceof Float32Array) new Uint8Array(data.buffer)[0]! ^= 1;
      return outputs;
    }),
} satisfies Record<Plant["bug"], () => Spoil>;
