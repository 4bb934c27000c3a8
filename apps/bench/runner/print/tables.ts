/** Returns a heading and its content; nothing if there is no content. */
export function section(title: string, content: string | null): string[] {
  return content === null ? [] : [`## ${title}`, content];
}

/** Returns a Markdown table; `null` if there are no rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string | null {
  if (rows.length === 0) return null;
  const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns the cells of a line of such a table. */
export function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Keeps a text of any kind, such as that of an error, in its cell. */
function cellOf(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

/** Returns a text without breaks: those of an error would end what it is in. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
