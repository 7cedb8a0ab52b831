import { ConfigError, type ConfigMap, type PropertyEffect } from '@tributary/connect-api'
import { CodedError, type LogFields, type Logger, silentLogger } from '@tributary/support'
import { createPredicate, createTransformation } from '../plugins/create-stages.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { CONNECTS, LIST_OF, type StageKind, type StageSpec, stageSpecs } from '../plugins/stage-spec.ts'

/** What creating a transformation or predicate showed about its options. */
interface Trial {
  readonly spec: StageSpec
  /** Options that the class read; null if that is unknown, or if it refused them. */
  readonly read: ReadonlySet<string> | null
  /** Warnings that the class logged about an option. */
  readonly warnings: ReadonlyMap<string, string>
}

const LISTS: readonly StageKind[] = ['transformation', 'predicate']

/**
 * What becomes of the options of transformations and predicates. Some classes read options that their definition does
 * not have, as their originals do. So each is created once, and what it reads is recorded.
 */
export class StageEffects {
  readonly #trials: readonly Trial[]

  constructor(plugins: Plugins, config: ConfigMap) {
    this.#trials = LISTS.flatMap((kind) => stageSpecs(kind, config)).map((spec) => tryStage(plugins, spec))
  }

  /** Null: the property does not belong to a stage. */
  of(property: string): PropertyEffect | null {
    const kind = LISTS.find((each) => property.startsWith(`${LIST_OF[each]}.`))
    if (kind === undefined) return null
    const trial = this.#trials.find(({ spec }) => spec.kind === kind && property.startsWith(spec.prefix))
    if (trial === undefined) return { tag: 'no effect', why: `${LIST_OF[kind]} does not list this alias.` }
    const { spec, read, warnings } = trial
    const option = property.slice(spec.prefix.length)
    const warning = warnings.get(option)
    if (warning !== undefined) return noted(warning)
    if (read === null || read.has(option) || CONNECTS.has(option)) return AS_BEFORE
    return { tag: 'no effect', why: `${spec.className} has no option ${option}.` }
  }
}

const AS_BEFORE: PropertyEffect = { tag: 'as before', note: null }

function noted(warning: string): PropertyEffect {
  const text = warning.charAt(0).toUpperCase() + warning.slice(1)
  const sentence = /[.?]$/.test(text) ? text : `${text}.`
  return /no effect|ignored/i.test(text) ? { tag: 'no effect', why: sentence } : { tag: 'as before', note: sentence }
}

function tryStage(plugins: Plugins, spec: StageSpec): Trial {
  const read = new Set<string>()
  const warnings = new Map<string, string>()
  let isKnown = true
  const options = new Proxy(spec.options, {
    get: (target, name) => {
      if (typeof name === 'string') read.add(name)
      return typeof name === 'string' ? target[name] : undefined
    },
    has: (target, name) => {
      if (typeof name === 'string') read.add(name)
      return Object.hasOwn(target, name)
    },
    // A class that lists all its options may read any of them.
    ownKeys: (target) => {
      isKnown = false
      return Reflect.ownKeys(target)
    },
  })
  const context = { logger: collecting(warnings) }
  try {
    const create = spec.kind === 'transformation' ? createTransformation : createPredicate
    create(plugins, { ...spec, options }, context).close?.()
  } catch (error) {
    if (!(error instanceof CodedError || error instanceof ConfigError)) throw error
    // The checks report it.
    isKnown = false
  }
  return { spec, read: isKnown ? read : null, warnings }
}

/** Collects warnings about an option. */
function collecting(warnings: Map<string, string>): Logger {
  return {
    ...silentLogger,
    warn: (message: string, { option }: LogFields = {}) => {
      if (typeof option === 'string') warnings.set(option, message)
    },
    child: () => collecting(warnings),
  }
}
