import type { ConfigMap, ConfigValue, SourceConnector } from '@tributary/connect-api'
import type { Plugins } from '../../plugins/plugins.ts'

/** A configuration as it is checked: null is a property without a value (Connect's validate takes both). */
export type ConfigInput = Readonly<Record<string, string | null>>

/** What Connect's own checks look at. All references are resolved. */
export interface ConfigToCheck {
  readonly plugins: Plugins
  readonly workerProperties: ConfigMap
  readonly config: ConfigInput
}

/** What the checks look at that also ask the connector, or the outside world. */
export interface ConnectorToCheck extends ConfigToCheck {
  readonly connector: SourceConnector
  readonly hasStoredOffsets: boolean
  readonly signal: AbortSignal
}

/** A check that looks only at the configuration. */
export type LocalCheck = (subject: ConfigToCheck, findings: Findings) => void

/** A check of the connector, or one that waits for an answer. */
export type Check = (subject: ConnectorToCheck, findings: Findings) => void | Promise<void>

/** What the checks have found so far. */
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
