import { visibleText } from '@tributary/support'
import type { Palette } from './palette.ts'

/** The text of a cell, optionally with its colour. */
export type Cell = string | readonly [text: string, paint: (text: string) => string]

/**
 * Renders aligned columns under their headings. There are no ruling lines, so that other programs can split it into
 * words.
 */
export function textTable(heads: readonly string[], rows: readonly (readonly Cell[])[], palette: Palette): string {
  const table = [heads.map((head): Cell => [head, palette.aside]), ...rows].map((row) => row.map(readable))
  const widths = heads.map((_, column) => Math.max(...table.map((row) => row[column]?.[0].length ?? 0)))
  return table.map((row) => `${lineOf(row, widths)}\n`).join('')
}

type ReadableCell = readonly [text: string, paint: (text: string) => string]

function readable(cell: Cell): ReadableCell {
  const [text, paint] = typeof cell === 'string' ? [cell, (plain: string) => plain] : cell
  return [visibleText(text).replaceAll(/\s/g, ' '), paint]
}

function lineOf(row: readonly ReadableCell[], widths: readonly number[]): string {
  return row
    .map(([text, paint], column) => {
      // No blanks after the last column.
      const gap = column === row.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - text.length + 2)
      return paint(text) + gap
    })
    .join('')
    .trimEnd()
}
