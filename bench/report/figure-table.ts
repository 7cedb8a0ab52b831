import { FLOOR, OF_MACHINE, type Figure } from '../run/bench.ts'
import { median } from '../measure/quantiles.ts'
import { columnOrder, tributary } from '../systems/system.ts'

interface Line extends Pick<Figure, 'bench' | 'name' | 'unit'> {
  readonly values: Map<string, readonly number[]>
}

/**
 * Renders the figures as a table: a line per figure and a column per system, with the median and, for several runs,
 * minimum and maximum. The column × after each other system shows how many times better the current build of Tributary
 * is.
 */
export function figureTable(figures: readonly Figure[]): string {
  const lines = linesOf(figures)
  const columns = columnsOf(figures)
  const head = ['row', 'figure', 'unit', ...columns.flatMap((name) => (isRival(name) ? [name, '×'] : [name]))]
  const body = lines.map((line, index) => {
    const { bench, name, unit, values } = line
    const ours = values.get(tributary.name)
    const cells = columns.flatMap((system) => {
      const cell = rangeText(values.get(system))
      return isRival(system) ? [cell, ratioText({ unit, ours, theirs: values.get(system) })] : [cell]
    })
    return [lines[index - 1]?.bench === bench ? '' : bench, name, unit, ...cells]
  })
  const all = [head, ...body]
  const widths = head.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  return all
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function linesOf(figures: readonly Figure[]): readonly Line[] {
  const lines = new Map<string, Line>()
  for (const { bench, name, unit, system, values } of figures) {
    const key = `${bench}\n${name}\n${unit}`
    const line = lines.get(key) ?? { bench, name, unit, values: new Map() }
    line.values.set(system, values)
    lines.set(key, line)
  }
  return [...lines.values()]
}

/** The systems that have figures: Tributary first, the floor last. */
function columnsOf(figures: readonly Figure[]): readonly string[] {
  const present = new Set(figures.map(({ system }) => system))
  const known = columnOrder.map(({ name }) => name).filter((name) => present.has(name))
  const others = [...present].filter((name) => name !== FLOOR && !known.includes(name))
  return [...known, ...others, ...(present.has(FLOOR) ? [FLOOR] : [])]
}

function isRival(system: string): boolean {
  return system !== tributary.name && system !== FLOOR
}

function rangeText(values: readonly number[] | undefined): string {
  if (values === undefined) return ''
  const middle = numberText(median(values))
  if (values.length < 2) return middle
  return `${middle} (${numberText(Math.min(...values))}–${numberText(Math.max(...values))})`
}

interface Ratio {
  readonly unit: string
  readonly ours: readonly number[] | undefined
  readonly theirs: readonly number[] | undefined
}

/** A higher rate is better; of all other figures (times, memory, shares) the lower one. */
function ratioText({ unit, ours, theirs }: Ratio): string {
  if (ours === undefined || theirs === undefined || unit === OF_MACHINE) return ''
  const ratio = unit === '1/s' ? median(ours) / median(theirs) : median(theirs) / median(ours)
  return numberText(ratio)
}

/** Aligns texts left and numbers right. */
function pad(cell: string, width: number, column: number): string {
  return column < 3 ? cell.padEnd(width) : cell.padStart(width)
}

/** Rounds to three significant digits, because measurements are not more precise. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
