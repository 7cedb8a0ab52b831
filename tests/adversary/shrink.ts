import type { Step } from './steps.ts'

/**
 * The shortest list of steps that still fails: removes parts, halves first, then smaller ones, while the rest fails.
 *
 * @param triesMax how often `fails` is called
 */
export async function shrink(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  triesMax: number,
): Promise<readonly Step[]> {
  let kept = steps
  let tries = 0
  for (let size = Math.ceil(kept.length / 2); ; size = Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length && tries < triesMax;) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)]
      tries += 1
      if (await fails(rest)) kept = rest
      else from += size
    }
    if (size === 1 || tries >= triesMax) return kept
  }
}
