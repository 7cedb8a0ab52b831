import type {
  CaptureContext,
  ConfigDef,
  ConfigMap,
  ConfigValues,
  LossProbe,
  OffsetDocument,
  ProbeContext,
  PropertyEffect,
  RecordSchemas,
  SourceConnector,
  SourceTables,
  ValidationContext,
} from '@tributary/connect-api'
import { CodedError } from '@tributary/support'
import { conflictsWith } from './config/conflicts.ts'
import { connectorDefinition } from './config/connector-definition.ts'
import { currentConfig } from './config/current-config.ts'
import { refusedProperties } from './config/later-keys.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { createLossProbe } from './loss-probe.ts'
import { notedFields, notedProperties, noteText } from './noted-properties.ts'
import { propertyEffects } from './property-effects.ts'
import { StreamPosition } from './offset/stream-position.ts'

/** The connector as the runtime calls it: checks of its configuration. One class for both servers; the kind is data. */
export class BinlogConnector implements SourceConnector {
  readonly #kind: ConnectorKind
  readonly #definition: ConfigDef

  constructor(kind: ConnectorKind) {
    this.#kind = kind
    this.#definition = connectorDefinition(kind)
  }

  config(): ConfigDef {
    return this.#definition
  }

  server(config: ConfigMap): string | null {
    const { 'database.hostname': host, 'database.port': port = '3306' } = config
    return host === undefined ? null : `the database at ${host}:${port}`
  }

  /** Settings that this version does not support. */
  refusals(config: ConfigMap): Readonly<Record<string, readonly string[]>> {
    return refusedProperties(this.#current(config))
  }

  effects(config: ConfigMap): Readonly<Record<string, PropertyEffect>> {
    return propertyEffects(config)
  }

  /** Errors of the pre-flight checks. Their warnings are logged when the task starts. */
  async validate(
    _values: ConfigValues,
    config: ConfigMap,
    { hasStoredOffsets, signal }: ValidationContext,
  ): Promise<Readonly<Record<string, readonly string[]>>> {
    const refusals = new Map<string, readonly string[]>()
    const { inspect } = await import('./check-connector.ts')
    const outcome = await inspect(this.#kind, config, { signal, isNew: !hasStoredOffsets })
    const findings = outcome.tag === 'checked' ? outcome.result.findings : [outcome.finding]
    for (const { severity, property, message } of findings) {
      if (severity === 'error') refusals.set(property, [...(refusals.get(property) ?? []), message])
    }
    return Object.fromEntries(refusals)
  }

  /** The warnings that the start of the task logs, too. */
  async warnings(
    config: ConfigMap,
    { hasStoredOffsets, signal }: ValidationContext,
  ): Promise<Readonly<Record<string, readonly string[]>>> {
    const found = new Map<string, readonly string[]>()
    const add = (property: string, text: string): void => {
      found.set(property, [...(found.get(property) ?? []), text])
    }
    const { inspect } = await import('./check-connector.ts')
    const outcome = await inspect(this.#kind, config, { signal, isNew: !hasStoredOffsets })
    const findings = outcome.tag === 'checked' ? outcome.result.findings : []
    for (const { severity, property, message } of findings) {
      if (severity === 'warning') add(property, message)
    }
    const fields = hasStoredOffsets ? [] : notedFields(this.#kind, config)
    for (const note of [...notedProperties(this.#kind, config), ...fields]) add(note.name, noteText(note))
    return Object.fromEntries(found)
  }

  conflicts(config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Readonly<Record<string, readonly string[]>> {
    const current = new Map([...others].map(([name, other]) => [name, this.#current(other)]))
    return conflictsWith(this.#kind.connectorType, this.#current(config), current)
  }

  /** With the names and values of this release. */
  #current(config: ConfigMap): ConfigMap {
    return currentConfig(this.#kind.sslModes, config).config
  }

  async capturedSchemas(config: ConfigMap, context: CaptureContext): Promise<readonly RecordSchemas[]> {
    const { capturedSchemas } = await import('./captured-schemas.ts')
    return capturedSchemas(this.#kind, config, context)
  }

  async tables(config: ConfigMap, signal: AbortSignal): Promise<SourceTables> {
    const { listTables } = await import('./list-tables.ts')
    return listTables(this.#kind, config, signal)
  }

  refuseOffset(offset: OffsetDocument): string | null {
    try {
      return StreamPosition.parse(offset) === null ? 'it names no binlog file (file)' : null
    } catch (error) {
      if (error instanceof CodedError) return error.message
      throw error
    }
  }

  lossProbe(config: ConfigMap, context: ProbeContext): LossProbe {
    return createLossProbe(this.#kind, config, context)
  }

  /** The offset of each record names the event and the row after which to continue. A snapshot that is cut short is repeated. */
  exactlyOnceSupport(): boolean {
    return true
  }

  canDefineTransactionBoundaries(): boolean {
    return true
  }

  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[] {
    if (tasksMax !== 1) throw new RangeError('Only a single connector task may be started')
    return [config]
  }
}
