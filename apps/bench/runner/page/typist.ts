import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession } from "@playwright/test";
import { untilNextKeyMs } from "../../src/loads/keystroke-gaps.js";
import type { Random } from "../../src/statistics/random.js";

/** Types this many times as fast as a fast typist, who would need minutes for enough keystrokes. */
const HASTE = 2;

/** Where keystrokes are sent to. */
type Keyboard = Pick<CDPSession, "send">;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * Types letters into the focused field until `done` settles, and returns how many. It does not wait for the page, as no
 * user does: a page that is busy gets all keystrokes late.
 */
export async function typeUntil(done: Promise<unknown>, session: Keyboard, random: Random): Promise<number> {
  let isDone = false;
  const end = (): void => void (isDone = true);
  void done.then(end, end);
  const sent: Promise<void>[] = [];
  for (;;) {
    await sleep(untilNextKeyMs(random) / HASTE);
    if (isDone) break;
    const pressed = press(LETTERS[Math.floor(random() * LETTERS.length)] ?? "a", session);
    // A browser that closes rejects keystrokes before anything awaits them. This handler keeps the process alive.
    pressed.catch(() => {});
    sent.push(pressed);
  }
  await Promise.all(sent);
  return sent.length;
}

/** Sends real events, which the browser stamps with their time. */
async function press(letter: string, session: Keyboard): Promise<void> {
  const upper = letter.toUpperCase();
  const key = { key: letter, code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0) };
  const down = session.send("Input.dispatchKeyEvent", { type: "keyDown", text: letter, ...key });
  await Promise.all([down, session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key })]);
}
