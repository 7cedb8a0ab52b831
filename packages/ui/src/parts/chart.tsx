import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { formatMinute } from '../format.ts'

export interface ChartLine {
  readonly label: string
  /** A custom property of the style sheet. */
  readonly color: '--line-1' | '--line-2' | '--line-3' | '--line-4'
  /** One for each time; null where there is no number. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** Milliseconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  readonly format: (value: number | null) => string
}

/** As in the style sheet, which makes texts larger on large screens. */
const HEIGHT_REM = 12

function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}

/** Numbers over time, with the last ones as text beside their names. */
export function Chart({ title, times, lines, format }: ChartProps): VNode {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const shape = lines.map(({ label }) => label).join()
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const create = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(element, lines, format), dataOf(times, lines), element)
    }
    create()
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    resize.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    addEventListener('themechange', create)
    scheme.addEventListener('change', create)
    return () => {
      resize.disconnect()
      removeEventListener('themechange', create)
      scheme.removeEventListener('change', create)
      plot.current?.destroy()
      plot.current = null
    }
  }, [shape])
  useEffect(() => plot.current?.setData(dataOf(times, lines)))
  const last = lines.map(({ label, values }) => `${label} ${format(values.at(-1) ?? null)}`).join(', ')
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {lines.map(({ label, color, values }) => (
          <span class="key" key={label}>
            <i class={`key${color.slice(1)}`} aria-hidden="true" />
            {label} <b>{format(values.at(-1) ?? null)}</b>
          </span>
        ))}
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${title}: ${last}`} />
    </figure>
  )
}

function dataOf(times: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData {
  return [times.map((ms) => ms / 1_000), ...lines.map(({ values }) => [...values])]
}

/** Seconds between two times on the axis: whole minutes. */
const X_STEPS = [60, 120, 180, 300, 600]

function optionsOf(element: HTMLElement, lines: readonly ChartLine[], format: ChartProps['format']): uPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  const rem = remPixels()
  const axis = { stroke: color('--soft'), font: `${0.79 * rem}px ${style.fontFamily}`, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT_REM * rem,
    // Half of a time has room to the right of the plot.
    padding: [8, 1.4 * rem, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.1] } },
    axes: [
      {
        ...axis,
        size: 1.7 * rem,
        gap: 4,
        space: 4.6 * rem,
        incrs: X_STEPS,
        grid: { show: false },
        values: (_, seconds) => seconds.map((s) => formatMinute(s * 1_000)),
      },
      {
        ...axis,
        size: 4.9 * rem,
        grid: { stroke: color('--grid'), width: 1 },
        values: (_, values) => values.map((value) => format(value)),
        space: 2.6 * rem,
      },
    ],
    series: [
      {},
      ...lines.map(({ label, color: name }) => ({
        label,
        stroke: color(name),
        width: 1.75,
        fill: lines.length === 1 ? color('--fill') : 'transparent',
        points: { show: false },
      })),
    ],
  }
}
