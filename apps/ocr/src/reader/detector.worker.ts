// Finds the lines of a page next to the detector, and cuts them out. The page's pixels stay in this worker.
import { passOn, serve } from "framebatch/worker";
import { detectorInput, detectorSize, type Size } from "../boxes/detector-input.js";
import { scaleBox } from "../boxes/geometry.js";
import { readingOrder } from "../boxes/reading-order.js";
import { findTextBoxes } from "../boxes/text-boxes.js";
import { cutLine } from "../lines/cut-line.js";
import { alongText } from "../lines/line-size.js";
import type { FoundLine } from "./found-line.js";
import { toLineImage } from "./line-image.js";

/** The longer side of the detector's input, in pixels, as in PP-OCRv4's configuration. */
const LIMIT = 960;

serve<ImageBitmap, FoundLine[], Size>({
  preprocess(page) {
    const size = detectorSize(page, LIMIT);
    return passOn({ x: detectorInput(page, size) }, size);
  },
  postprocess(outputs, page, { passed: size }) {
    const [map] = Object.values(outputs);
    if (!(map?.data instanceof Float32Array)) throw new Error(`expected a map of float32, got ${map?.type}`);
    const [across, down] = [page.width / size.width, page.height / size.height];
    const boxes = findTextBoxes({ values: map.data, ...size }).map((box) =>
      alongText({ ...box, ...scaleBox(box, across, down) }),
    );
    return readingOrder(boxes).map((box) => ({ box, image: toLineImage(cutLine(page, box)) }));
  },
});
