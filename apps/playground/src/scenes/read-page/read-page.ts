import type { LineImage } from "@framebatch/ocr/reader/line-image";
import { openDetector, type PageReader } from "@framebatch/ocr/reader/open-reader";
import { computed, effect, signal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import { Reading } from "./reading.js";
import { drawSamplePage } from "./sample-page.js";

/** A picture to read. It is drawn on the page, and a copy of it is read. */
export interface Picture {
  readonly image: ImageBitmap;
  readonly name: string;
}

/** The state of the scene: the picture, and its reading. */
export class ReadPage {
  readonly playground: Playground;
  readonly picture = signal<Picture | null>(null);
  readonly reading = signal<Reading | null>(null);
  /**
   * The lines of the picture as items of the recognizer; `null` until they are found. Those of its first reading stay,
   * because the lines of another one are the same.
   */
  readonly lineImages = signal<readonly LineImage[] | null>(null);
  /** The line under the pointer; `null` if there is none. */
  readonly selected = signal<number | null>(null);
  /** True while a picture waits for the models. */
  readonly isWaiting = computed(() => this.picture.value !== null && this.reading.value === null);
  /** Why the last picture could not be shown; `null` if it could. */
  readonly problem = signal<string | null>(null);
  readonly #detector = signal<PageReader["detector"] | null>(null);
  readonly #stopEffects: readonly (() => void)[];
  /** Counts the choices of the visitor. */
  #turn = 0;

  constructor(playground: Playground) {
    this.playground = playground;
    this.#stopEffects = [effect(() => this.#openDetector()), effect(() => this.#startReading())];
    void this.chooseSample();
  }

  dispose(): void {
    this.#turn++;
    for (const stop of this.#stopEffects) stop();
    this.reading.peek()?.stop();
    this.picture.peek()?.image.close();
  }

  /** Reads a picture of the visitor. */
  async chooseFile(file: File): Promise<void> {
    await this.#show(createImageBitmap(file), file.name);
  }

  async chooseSample(): Promise<void> {
    await this.#show(drawSamplePage(), "Sample page");
  }

  /** Shows a picture, unless the visitor has chosen another one meanwhile. */
  async #show(decoding: Promise<ImageBitmap>, name: string): Promise<void> {
    const turn = ++this.#turn;
    try {
      const image = await decoding;
      if (turn !== this.#turn) return image.close();
      this.problem.value = null;
      this.playground.failure.value = null;
      this.reading.peek()?.stop();
      this.reading.value = null;
      this.lineImages.value = null;
      this.picture.peek()?.image.close();
      this.picture.value = { image, name };
    } catch {
      this.problem.value = `This browser cannot show ${name} as a picture. Choose a PNG, JPEG or WebP file.`;
    }
  }

  /** Opens the detector, again when the visitor changes the backend or retries after a failure. */
  #openDetector(): (() => void) | undefined {
    if (this.playground.failure.value !== null) return undefined;
    const { settings } = this.playground;
    // Subscribes to the backend only, since the other options are the recognizer's.
    void settings.backend.value;
    const { executionProviders } = settings.modelOptions.peek();
    const closed = new AbortController();
    const options = { signal: closed.signal, ...(executionProviders !== undefined && { executionProviders }) };
    const opening = openDetector(options);
    opening.then(
      (detector) => !closed.signal.aborted && (this.#detector.value = detector),
      (error: unknown) => !closed.signal.aborted && this.playground.reportFailure(error),
    );
    return () => {
      closed.abort();
      this.#detector.value = null;
      void opening.then((detector) => detector.dispose()).catch(() => {});
    };
  }

  /** Reads the picture, again when the visitor switches to another lane or backend, or if a comparison has stopped it. */
  #startReading(): void {
    const [picture, detector, model] = [this.picture.value, this.#detector.value, this.playground.model.value];
    const before = this.reading.peek();
    if (!this.playground.comparing.value && before?.isDoneBy(detector, model)) return;
    before?.stop();
    if (picture === null || detector === null || model === null || this.playground.comparing.value) return;
    const reading = new Reading(detector, model, this.playground.requests, (images) => {
      if (this.reading.peek() === reading) this.lineImages.value ??= images;
    });
    this.reading.value = reading;
    void this.#read(reading, picture);
  }

  async #read(reading: Reading, { image }: Picture): Promise<void> {
    try {
      await reading.read(await createImageBitmap(image));
    } catch (error) {
      if (this.reading.peek() === reading) this.playground.reportFailure(error);
    }
  }
}
