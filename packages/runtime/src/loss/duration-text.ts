const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** A duration in its two largest units, rounded down: `29 d 23 h`, `4 min`, `12 s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const first = UNITS.findIndex(([size]) => whole >= size)
  if (first < 0) return '0 s'
  let rest = whole
  const parts: string[] = []
  for (const [size, name] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
  }
  return parts.join(' ')
}
