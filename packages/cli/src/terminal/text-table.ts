import type { Palette } from './palette.ts'
import { visibleText } from './visible-text.ts'

/** A cell: its text, and how it is painted; unpainted when it is only text. */
export type Cell = string | readonly [text: string, paint: (text: string) => string]

/** Rows under their heads, aligned by the width of the text; no lines, so that other programs can read it as words. */
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
      // The last one is not filled up: nothing stands behind it.
      const gap = column === row.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - text.length + 2)
      return paint(text) + gap
    })
    .join('')
    .trimEnd()
}
