import type { VNode } from 'preact'

const WIDTH = 120
const HEIGHT = 28

/** The course of a number as a line without axes. Gaps where there is no number. */
export function SparkLine({
  values,
  label,
}: {
  readonly values: readonly (number | null)[]
  readonly label: string
}): VNode {
  const highest = Math.max(1, ...values.map((value) => value ?? 0))
  const step = WIDTH / Math.max(1, values.length - 1)
  let path = ''
  let isDrawing = false
  for (const [i, value] of values.entries()) {
    if (value !== null) {
      const y = HEIGHT - 2 - (value / highest) * (HEIGHT - 4)
      path += `${isDrawing ? 'L' : 'M'}${(i * step).toFixed(1)} ${y.toFixed(1)}`
    }
    isDrawing = value !== null
  }
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
      <path d={path} />
    </svg>
  )
}
