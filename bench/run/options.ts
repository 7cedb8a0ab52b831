import { parseArgs } from 'node:util'
import type { BenchOptions } from './bench.ts'
import { before, namedSystems, referenceTuned, systems, tributary, type System } from '../systems/system.ts'

/** The parsed command line. */
export interface BenchCommand {
  /** Names of benchmarks; empty for the default ones. */
  readonly names: readonly string[]
  /** Path of the JSON document to write; null for none. */
  readonly json: string | null
  /** Checkout, folder or tarball of the build to measure, or `WORKSPACE`; null to pack and measure this workspace. */
  readonly artefact: string | null
  /** Checkout, folder or tarball of the build to measure as `before`; null for none. */
  readonly against: string | null
  readonly options: Omit<BenchOptions, 'entry' | 'entryBefore'>
}

/** `--artefact workspace`: measures the service from its sources, whose types Node strips at each start. */
export const WORKSPACE = 'workspace'

const RUNS = 3
const SOAK_MINUTES = 60
/** Tributary is compared with the reference at its best. */
const QUICK_SYSTEMS: readonly System[] = [tributary, referenceTuned]

/** Throws a TypeError for an unknown option or an invalid value. */
export function parseCommand(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      systems: { type: 'string' },
      mariadb: { type: 'boolean', default: false },
      json: { type: 'string' },
      artefact: { type: 'string' },
      against: { type: 'string' },
      profile: { type: 'string' },
      minutes: { type: 'string' },
    },
  })
  const { quick, mariadb, runs = quick ? 1 : RUNS, profile = 0, minutes = SOAK_MINUTES } = values
  return {
    names: positionals,
    json: values.json ?? null,
    artefact: values.artefact ?? null,
    against: values.against ?? null,
    options: {
      isQuick: quick,
      runs: wholeNumber('runs', runs, 1),
      systems: chooseSystems(values),
      servers: new Set(),
      flavor: mariadb ? 'mariadb' : 'mysql',
      profileEntries: wholeNumber('profile', profile, 0),
      minutes: wholeNumber('minutes', minutes, 1),
      note: (text) => console.error(text),
    },
  }
}

interface SystemChoice {
  readonly quick: boolean
  readonly systems?: string | undefined
  readonly against?: string | undefined
}

/** With `--against`, the two builds alone unless `--systems` names others, which then take turns with both. */
function chooseSystems({ quick, systems: named, against }: SystemChoice): readonly System[] {
  if (against === undefined) return named === undefined ? (quick ? QUICK_SYSTEMS : systems) : systemsNamed(named)
  const others = named === undefined ? [] : systemsNamed(named).filter((system) => system !== tributary)
  return [tributary, before, ...others]
}

function systemsNamed(text: string): readonly System[] {
  return text.split(',').map((name) => {
    const system = namedSystems.find((each) => each.name === name)
    if (system !== undefined) return system
    throw new TypeError(`--systems ${text}: the known systems are ${namedSystems.map((each) => each.name).join(', ')}`)
  })
}

function wholeNumber(option: string, text: string | number, least: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= least) return number
  throw new TypeError(`--${option} ${text}: expected a whole number of at least ${least}`)
}
