export { HALF_WIDTH, makeTrack, SHOWN_TRACK, WORLD } from "./track.mjs";
export { CONTROLS, Traffic, VIEW_SIZE } from "./traffic.mjs";
