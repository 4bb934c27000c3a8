/** Another way to do the same, with what it has over framebatch and what it lacks. */
interface Opponent {
  readonly name: string;
  readonly speed: string;
  readonly lacks: string;
}

const OPPONENTS: readonly Opponent[] = [
  {
    name: "Batching off",
    speed: "Measured above, on your device.",
    lacks:
      "Nothing but batches: it keeps the queue, the priorities and the errors. Right for a single caller and for models bound by arithmetic.",
  },
  {
    name: "Comlink and DataLoader",
    speed:
      "Much the same throughput. Slower where a large batch does not pay, because it always takes all calls at once.",
    lacks:
      "A check that batches give the same answers. Sizes that the model's own times justify. Timeouts, priorities, cancellation. In browsers it waits in a timer, about a second in a hidden tab. Calls stay open when the worker dies.",
  },
  {
    name: "40 lines by hand",
    speed:
      "Much the same throughput, and a little less work for each call. Bursts on models bound by arithmetic take longer.",
    lacks:
      "The same check and sizes. One bad item fails its whole batch. No padding, no retry after a crash or a lost GPU, no cache, no statistics. It fits one model.",
  },
  {
    name: "onnxruntime-web on the page",
    speed: "A single answer comes sooner, without a message to a worker.",
    lacks:
      "A free page: nothing moves while the model runs. Calls at the same time must be lined up by hand, and each pays the fixed cost of a run.",
  },
];

/** Says against whom framebatch competes, and what each of them lacks. */
export function Opponents() {
  return (
    <section class="card opponents" aria-labelledby="opponents-heading" data-testid="opponents">
      <h2 id="opponents-heading">Against whom?</h2>
      <ul>
        {OPPONENTS.map(({ name, speed, lacks }) => (
          <li key={name}>
            <h3>{name}</h3>
            <p>{speed}</p>
            <p>
              <strong>Lacks: </strong>
              {lacks}
            </p>
          </li>
        ))}
      </ul>
      <p class="opponents-note">
        <a class="link" href="./docs/results.html">
          All measurements, with the cells that framebatch loses
        </a>
      </p>
    </section>
  );
}
