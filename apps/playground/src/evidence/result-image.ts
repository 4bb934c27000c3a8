import { MEASURES, type Gain, type Measure } from "../measure/gain.js";
import { describeNoise } from "../measure/noise.js";
import { describeEffect, formatFigure, headlineOf, headlineText } from "../measure/verdict.js";
import type { CssColours, ThemeChoice } from "../theme.js";
import { describeConditions } from "../comparison/conditions.js";
import type { Measured } from "../comparison/measured.js";
import { FACT_NAMES } from "../verdict/verdict-facts.js";
import { fitText, wrapText } from "./wrap-text.js";

/** The size that sites show for a link, in pixels. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 72;
const FONT = "system-ui, sans-serif";
/** The width of a line, in pixels. */
const LINE = WIDTH - 2 * MARGIN;

const QUESTION_SIZE = 34;
/** Leaves room for four lines of conditions, which name the model, its load and the GPU. */
const CONDITIONS_SIZE = 20;

type Write = (text: string, left: number, baseline: number, style: Style) => number;
type WidthOf = (text: string, style: Omit<Style, "colour">) => number;

/** Draws a result as a picture to share: the verdict, the four measures, and what was measured. Returns a data URL. */
export function drawResult(measured: Measured, theme: ThemeChoice): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser does not provide a 2D canvas context.");
  context.fillStyle = theme.isDark.peek() ? "#181c22" : "#ffffff";
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const [write, widthOf] = [writerOn(context), measurerOn(context)];
  const colours = theme.css.peek();
  const model = fitModel(measured.conditions.model, widthOf);
  drawVerdict(write, measured, model, colours);
  drawMeasures(write, measured, colours);
  drawConditions(write, widthOf, measured, model, colours);
  const day = measured.atIso.slice(0, 10);
  write(`framebatch playground, ${day}`, MARGIN, HEIGHT - 56, { size: 24, weight: 600, colour: colours.ink });
  return canvas.toDataURL("image/png");
}

/** The words of the picture. */
export function describeImage({ comparison, verdict, conditions }: Measured): string {
  const measures = MEASURES.map((measure) => {
    const gain = comparison.gains[measure];
    return `${FACT_NAMES[measure]}: ${describePair(measure, gain)}, ${describeEffect(measure, gain, verdict.effects[measure])}.`;
  });
  return [questionAbout(conditions.model), `${headlineText(headlineOf(comparison, verdict))}.`, ...measures].join(" ");
}

function questionAbout(model: string): string {
  return `Does batching pay for ${model}?`;
}

/** "101 → 364" */
function describePair(measure: Measure, { single, batched }: Gain): string {
  return `${formatFigure(measure, single)} → ${formatFigure(measure, batched)}`;
}

/** Shortens the name of a model until the question about it fits into a line. */
function fitModel(model: string, widthOf: WidthOf): string {
  return fitText(model, LINE, (name) => widthOf(questionAbout(name), { size: QUESTION_SIZE }));
}

function drawVerdict(write: Write, { comparison, verdict }: Measured, model: string, colours: CssColours): void {
  const { word, factor, range } = headlineOf(comparison, verdict);
  const { ink, accent, differs, muted } = colours;
  const colour = { yes: accent, no: differs, depends: differs, same: ink, unclear: ink }[verdict.answer];
  write(questionAbout(model), MARGIN, 116, { size: QUESTION_SIZE, colour: muted });
  const end = write(range === "" ? headlineText({ word, factor, range }) : `${word} ${factor}`, MARGIN, 238, {
    size: 104,
    weight: 700,
    colour,
  });
  if (range !== "") write(`(${range})`, end + 24, 238, { size: 44, colour: muted });
}

function drawMeasures(write: Write, { comparison, verdict }: Measured, { ink, muted }: CssColours): void {
  const column = LINE / MEASURES.length;
  for (const [index, measure] of MEASURES.entries()) {
    const gain = comparison.gains[measure];
    const left = MARGIN + index * column;
    write(FACT_NAMES[measure], left, 332, { size: 20, colour: muted });
    write(describePair(measure, gain), left, 370, { size: 22, weight: 600, colour: ink });
    write(describeEffect(measure, gain, verdict.effects[measure]), left, 406, { size: 20, colour: muted });
  }
}

function drawConditions(
  write: Write,
  widthOf: WidthOf,
  { comparison, conditions }: Measured,
  model: string,
  { muted }: CssColours,
): void {
  const style: Style = { size: CONDITIONS_SIZE, colour: muted };
  const words = `${describeNoise(comparison.noise)} ${describeConditions({ ...conditions, model }, comparison)}`;
  const lines = wrapText(words, LINE, (line) => widthOf(line, style));
  lines.forEach((line, index) => write(line, MARGIN, 456 + 28 * index, style));
}

interface Style {
  readonly size: number;
  readonly weight?: number;
  readonly colour: string;
}

/** Returns a function that writes a line and returns where it ends, in pixels. */
function writerOn(context: CanvasRenderingContext2D): Write {
  return (text, left, baseline, style) => {
    context.font = fontOf(style);
    context.fillStyle = style.colour;
    context.fillText(text, left, baseline);
    return left + context.measureText(text).width;
  };
}

function measurerOn(context: CanvasRenderingContext2D): WidthOf {
  return (text, style) => {
    context.font = fontOf(style);
    return context.measureText(text).width;
  };
}

function fontOf({ size, weight = 400 }: Omit<Style, "colour">): string {
  return `${weight} ${size}px ${FONT}`;
}
