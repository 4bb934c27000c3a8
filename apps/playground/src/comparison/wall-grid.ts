/** The shape of a wall, about twice as wide as high. */
export interface WallGrid {
  readonly columns: number;
  readonly rows: number;
}

/** Maximum and minimum ratio of columns to rows for a wall whose last row is full. */
const WIDEST = 4;
const NARROWEST = 1.2;

/** Computes columns and rows for a number of tiles, without empty places where possible. */
export function wallGrid(tiles: number): WallGrid {
  const usual = Math.ceil(Math.sqrt(2 * tiles));
  const columns = fullColumns(tiles, usual) ?? usual;
  return { columns, rows: Math.ceil(tiles / columns) };
}

/** Returns the number of columns closest to `usual` that leaves no empty place; `undefined` if there is none. */
function fullColumns(tiles: number, usual: number): number | undefined {
  const candidates = Array.from({ length: tiles }, (_, index) => index + 1).filter(
    (columns) => tiles % columns === 0 && columns ** 2 >= NARROWEST * tiles && columns ** 2 <= WIDEST * tiles,
  );
  return candidates.toSorted((a, b) => Math.abs(a - usual) - Math.abs(b - usual))[0];
}
