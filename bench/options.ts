import { parseArgs } from 'node:util'
import type { BenchOptions } from './bench.ts'

/** What the command line says. */
export interface BenchCommand {
  /** Names of benchmarks; empty: all. */
  readonly names: readonly string[]
  /** Path for the JSON document; null: none. */
  readonly json: string | null
  /** Folder or tarball of the build to measure; null: this workspace. */
  readonly artefact: string | null
  readonly options: Omit<BenchOptions, 'entry'>
}

const RUNS = 3

/** Throws a TypeError for an option that there is not. */
export function parseCommand(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      mariadb: { type: 'boolean', default: false },
      json: { type: 'string' },
      artefact: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { quick, mariadb, runs = quick ? 1 : RUNS, profile = 0 } = values
  return {
    names: positionals,
    json: values.json ?? null,
    artefact: values.artefact ?? null,
    options: {
      isQuick: quick,
      runs: wholeNumber('runs', runs, 1),
      servers: new Set(),
      flavor: mariadb ? 'mariadb' : 'mysql',
      profileEntries: wholeNumber('profile', profile, 0),
      note: (text) => console.error(text),
    },
  }
}

function wholeNumber(option: string, text: string | number, least: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= least) return number
  throw new TypeError(`--${option} ${text}: a whole number of at least ${least} is expected`)
}
