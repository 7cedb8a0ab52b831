/** Returns the smallest value that is at least as large as the given share of the values (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

/** Returns the middle value; for an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? NaN) + upper) / 2 : upper
}
