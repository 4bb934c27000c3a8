/** Shortens a text in the middle, where names differ least, until it is at most `width` wide. */
export function fitText(text: string, width: number, widthOf: (line: string) => number): string {
  let fitted = text;
  for (let kept = text.length - 1; kept > 0 && widthOf(fitted) > width; kept--) {
    const start = Math.ceil(kept / 2);
    fitted = `${text.slice(0, start)}…${text.slice(text.length - (kept - start))}`;
  }
  return fitted;
}

/** Divides a text at its spaces into lines that are at most `width` wide. A longer word gets a line of its own. */
export function wrapText(text: string, width: number, widthOf: (line: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
