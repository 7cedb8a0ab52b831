import type { Figure } from '../bench.ts'
import { median } from '../measure/quantiles.ts'

const HEAD = ['bench', 'figure', 'unit', 'median', 'min', 'max', 'runs'] as const

/** The figures as a table for people: a line each; min and max only where there was more than one run. */
export function figureTable(figures: readonly Figure[]): string {
  const lines = figures.map(({ bench, name, unit, values }, index) => {
    const isRepeated = values.length > 1
    const before = figures[index - 1]
    return [
      before?.bench === bench ? '' : bench,
      name,
      unit,
      numberText(median(values)),
      isRepeated ? numberText(Math.min(...values)) : '',
      isRepeated ? numberText(Math.max(...values)) : '',
      String(values.length),
    ]
  })
  const all = [[...HEAD], ...lines]
  const widths = HEAD.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  return all
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Texts to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column < 3 ? cell.padEnd(width) : cell.padStart(width)
}

/** Three digits that count are all that a figure of a run is good for. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
