import { makeTrack, SHOWN_TRACK, Traffic, VIEW_SIZE } from "@framebatch/models/drivers";
import type { Load, TileDrawing } from "../../measure/load.js";
import type { Settings } from "../../settings.js";
import { CAR_COUNTS } from "../worlds/counts.js";

/** A seed for cars in other places than those that the scene begins with. */
const SEED = 11;

/** The load of the scene: one caller per car, with views from all over the track. */
export function carsLoad({ cars, pace }: Settings): Load {
  const callers = cars.peek();
  const views = viewsOf(new Traffic(makeTrack(SHOWN_TRACK), CAR_COUNTS.most, SEED));
  return {
    callers,
    pace: pace.peek(),
    item: (caller, turn) => ({ view: views[(caller + turn * callers) % views.length] ?? [] }),
    draw: drawWheel,
  };
}

function viewsOf(traffic: Traffic): Float32Array[] {
  return Array.from({ length: traffic.count }, (_, car) => {
    const view = new Float32Array(VIEW_SIZE);
    traffic.look(car, view);
    return view;
  });
}

/** Draws a tile: a wheel that turns as the driver steers, longer as it accelerates. */
function drawWheel({ context, size, outputs, colours }: TileDrawing): void {
  const [steering = 0, throttle = 0] = Array.from(outputs["controls"]?.data ?? [], Number);
  const angle = steering * (Math.PI / 3) - Math.PI / 2;
  const reach = size * (0.3 + 0.15 * throttle);
  const [x, y] = [reach * Math.cos(angle), reach * Math.sin(angle)];
  context.strokeStyle = colours.accent;
  context.lineWidth = size * 0.16;
  context.beginPath();
  context.moveTo(size / 2 - x, size / 2 - y);
  context.lineTo(size / 2 + x, size / 2 + y);
  context.stroke();
}
