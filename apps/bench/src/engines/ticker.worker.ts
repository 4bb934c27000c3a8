/** Time between two ticks, in milliseconds: not a multiple of a frame, so that ticks meet every phase of it. */
const TICK_MS = 47;

// A message of this worker stands for an input of the user: it waits behind whatever keeps the page busy.
setInterval(() => postMessage(performance.timeOrigin + performance.now()), TICK_MS);
