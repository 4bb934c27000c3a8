import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Digits } from "../digits.js";
import type { Point } from "./drawing.js";
import { PadKeyboard } from "./pad-keyboard.js";
import { fitToScreen, paintPad } from "./pad-painter.js";

const HELP_ID = "pad-help";

/** The area to draw in, with a mouse, a finger, a pen or the keyboard. */
export function Pad({ digits }: { digits: Digits }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const keyboard = useMemo(() => new PadKeyboard(digits), [digits]);
  usePainting(digits, keyboard, canvas);

  const hint = useComputed(() => (digits.drawing.isEmpty.value ? "Draw a digit here" : ""));
  return (
    <div class="pad">
      <canvas
        ref={canvas}
        class="pad-canvas"
        data-testid="pad"
        tabIndex={0}
        role="application"
        aria-roledescription="drawing pad"
        aria-label="Draw a digit"
        aria-describedby={HELP_ID}
        onPointerDown={(event) => penDown(digits, keyboard, event)}
        onPointerMove={(event) => penMove(digits, event)}
        onPointerUp={() => digits.drawing.penUp()}
        onPointerCancel={() => digits.drawing.penUp()}
        onKeyDown={(event) => pressKey(keyboard, event)}
        onBlur={() => keyboard.leave()}
      />
      <p class="pad-hint" aria-hidden="true">
        {hint}
      </p>
      <p id={HELP_ID} class="visually-hidden">
        The arrow keys move the pen. Space lowers or lifts it. The keys 0 to 9 draw a sample. Delete clears the pad.
      </p>
    </div>
  );
}

function usePainting(digits: Digits, keyboard: PadKeyboard, canvas: { current: HTMLCanvasElement | null }): void {
  const paint = (): void => {
    if (canvas.current === null) return;
    const { drawing, pose, playground } = digits;
    paintPad(canvas.current, drawing.strokes.value, pose.value, keyboard.cursor.value, playground.theme.colours.value);
  };
  useSignalEffect(paint);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (canvas.current !== null) fitToScreen(canvas.current);
      paint();
    });
    if (canvas.current !== null) observer.observe(canvas.current);
    return () => observer.disconnect();
  }, [digits]);
}

type PadPointerEvent = PointerEvent & { readonly currentTarget: HTMLCanvasElement };

function penDown(digits: Digits, keyboard: PadKeyboard, event: PadPointerEvent): void {
  if (event.button !== 0 || !event.isPrimary) return;
  event.currentTarget.setPointerCapture(event.pointerId);
  keyboard.leave();
  digits.takePen();
  digits.drawing.penDown(toPoint(event, event.currentTarget));
}

/** Includes the coalesced points between two frames. Without them, fast strokes have visible corners. */
function penMove(digits: Digits, event: PadPointerEvent): void {
  if (!event.isPrimary || !digits.drawing.isDrawing.value) return;
  const between = event.getCoalescedEvents();
  const moves = between.length === 0 ? [event] : between;
  digits.drawing.penMove(...moves.map((move) => toPoint(move, event.currentTarget)));
}

function pressKey(keyboard: PadKeyboard, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (keyboard.press(event.key)) event.preventDefault();
}

function toPoint(event: PointerEvent, canvas: HTMLCanvasElement): Point {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
}
