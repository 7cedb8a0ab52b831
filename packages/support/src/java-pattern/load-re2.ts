import { createRequire } from 'node:module'
import type { RE2JS, RE2Set } from 're2js'

/** What is used of it. */
interface Re2 {
  readonly RE2JS: typeof RE2JS
  readonly RE2Set: typeof RE2Set
}

const require = createRequire(import.meta.url)
let loaded: Re2 | null = null

/**
 * RE2, loaded for the first pattern that needs it: that takes 20 ms of processor time and 1 MB in each thread, and names
 * of tables need none. In the packed program scripts/pack/bundle.ts replaces this module.
 */
export function loadRe2(): Re2 {
  loaded ??= require('re2js') as Re2
  return loaded
}
