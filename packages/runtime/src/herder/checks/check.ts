import type { ConfigMap, ConfigValue, SourceConnector } from '@tributary/connect-api'
import type { Plugins } from '../../plugins/plugins.ts'

/** A configuration to check. Null is a property without a value; Connect's validate accepts it. */
export type ConfigInput = Readonly<Record<string, string | null>>

/** The input of Connect's own checks. All references to secrets are resolved. */
export interface ConfigToCheck {
  readonly plugins: Plugins
  readonly workerProperties: ConfigMap
  readonly config: ConfigInput
}

/** The input of checks that also ask the connector or its database. */
export interface ConnectorToCheck extends ConfigToCheck {
  readonly connector: SourceConnector
  readonly hasStoredOffsets: boolean
  /** Called before a check asks the outside world: what it is about to do, as in “while asking …”. */
  readonly onStep: (doing: string) => void
  readonly signal: AbortSignal
}

/** A check that looks only at the configuration. */
export type LocalCheck = (subject: ConfigToCheck, findings: Findings) => void

/** A check of the connector, or one that waits for an answer. */
export type Check = (subject: ConnectorToCheck, findings: Findings) => void | Promise<void>

/** Collects the results of the checks. */
export class Findings {
  /** By property, in the order of the report. */
  readonly refusals: Map<string, readonly string[]> = new Map()
  /** The parsed values. The first definition of a property counts, as in Connect. */
  readonly values: Map<string, ConfigValue> = new Map()

  refuse(property: string, ...errors: readonly string[]): void {
    this.refusals.set(property, [...(this.refusals.get(property) ?? []), ...errors])
  }

  isRefused(property: string): boolean {
    return (this.refusals.get(property) ?? []).length > 0
  }

  addValue(value: ConfigValue): void {
    if (!this.values.has(value.name)) this.values.set(value.name, value)
    this.refuse(value.name, ...value.errors)
  }
}

/** The properties that have values. */
export function withoutNulls(config: ConfigInput): ConfigMap {
  return Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null))
}
