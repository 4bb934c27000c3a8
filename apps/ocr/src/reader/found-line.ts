import type { TextBox } from "../boxes/text-boxes.js";
import type { ReadLine } from "../text/decode.js";
import type { LineImage } from "./line-image.js";

/** A line that the detector found. The box is along its text, in pixels of the page. */
export interface FoundLine {
  readonly box: TextBox;
  readonly image: LineImage;
}

/** A line whose text is read. */
export interface PlacedText extends ReadLine {
  readonly box: TextBox;
}
