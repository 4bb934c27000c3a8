import { Outage } from "@framebatch/remote/router/outage.js";
import { Router } from "@framebatch/remote/router/router.js";
import { deviceSide, serverSide } from "@framebatch/remote/router/side.js";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { Origin } from "@framebatch/batcher/queue/request.js";
import { poisson } from "../model/arrivals.js";
import type { Cost } from "../model/costs.js";
import { createRandom, streamSeed } from "../model/random.js";
import { warmedUp } from "../ours.js";
import { EventLoop } from "../run/event-loop.js";
import { Ledger } from "../run/ledger.js";
import { SimRequest } from "../run/sim-request.js";
import { VirtualFrames } from "../run/virtual-frames.js";
import { VirtualWorker } from "../run/virtual-worker.js";
import { VirtualServer } from "./virtual-server.js";

const MAX_BATCH_SIZE = 32;
const OBJECTIVE_MS = 200;
const SPAN = { fromMs: 2000, toMs: 12_000 };
/** The server computes four times as fast as the device. */
const SERVER_SPEED = 4;
const SERVER_INSTANCES = 4;

/** One lane of the comparison. */
export interface OverflowCase {
  readonly cost: Cost;
  /** Requests offered, as a multiple of what the device can answer. */
  readonly load: number;
  /** The side that is asked first; `null` for a device without a server. */
  readonly preferred: Origin | null;
  readonly roundTripMs: number;
  /** Whether the server is down for one second in each five. */
  readonly fails: boolean;
  readonly seed: number;
}

export interface OverflowResult {
  /** Share of the requests that were answered within the objective. */
  readonly goodput: number;
  /** Share of the answers that came from the server. */
  readonly fromServer: number;
}

/** Simulates requests to a device and a server, with the router, the batchers and the planner that ship. */
export function simulateOverflow({ cost, load, preferred, roundTripMs, fails, seed }: OverflowCase): OverflowResult {
  const loop = new EventLoop();
  const frames = new VirtualFrames(loop);
  const ledger = new Ledger(loop, frames, SPAN, OBJECTIVE_MS);
  const common = { clock: loop, frames, release: "frame", maxLatencyMs: OBJECTIVE_MS } as const;
  const local = new Batcher<SimRequest, number>({
    ...common,
    maxBatchSize: MAX_BATCH_SIZE,
    engine: new VirtualWorker(loop, cost, { share: 0.1, seed }, SPAN),
    costData: warmedUp(MAX_BATCH_SIZE, 1, cost.ms),
  });
  const now = () => loop.now();
  const random = createRandom(streamSeed(seed, "jitter"));
  const router = new Router<SimRequest, number>(
    {
      timer: { now, schedule: (atMs, callback) => loop.schedule(atMs, callback) },
      preferred: preferred ?? "device",
      maxLatencyMs: OBJECTIVE_MS,
      copyItem: (item) => item,
      wake: () => undefined,
      isLoading: () => false,
    },
    deviceSide({ batcher: local, state: "ready" }, 0),
  );
  const engine = new VirtualServer(loop, {
    roundTripMs,
    costMs: (rows) => cost.ms(rows) / SERVER_SPEED,
    isDown: (atMs) => fails && atMs % 5000 >= 4000,
    seed: streamSeed(seed, "network"),
  });
  const remote = new Batcher<SimRequest, number>({
    ...common,
    origin: "server",
    maxBatchSize: MAX_BATCH_SIZE,
    engine,
    engines: SERVER_INSTANCES,
  });
  if (preferred !== null) router.join(serverSide(remote, new Outage({ now, random, onChange: () => undefined })));
  const arrivals = poisson(load * capacityOf(cost));
  let requests = 0;
  arrivals({
    loop,
    random: createRandom(streamSeed(seed, "arrivals")),
    untilMs: SPAN.toMs,
    offer: () => {
      const request = new SimRequest(ledger, requests++, loop.now(), [], "user-visible");
      ledger.arrived(request);
      router.enqueue(request, request);
    },
  });
  loop.run(SPAN.toMs + 10 * OBJECTIVE_MS);
  const { device, server } = router.counts.snapshot().completed;
  return { goodput: ledger.good / ledger.offered, fromServer: server / (device + server) };
}

/** What the device can answer in a millisecond, with the batch size of the best rate. */
function capacityOf({ ms }: Cost): number {
  const rates = Array.from({ length: MAX_BATCH_SIZE }, (_, index) => (index + 1) / ms(index + 1));
  return Math.max(...rates);
}
