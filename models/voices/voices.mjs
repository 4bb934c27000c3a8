export { makeClip } from "./clip.mjs";
export { FRAME, RATE } from "./rate.mjs";
