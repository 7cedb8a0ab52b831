import { checkConnector, type CheckReport, type Finding } from '@tributary/connector-mysql'
import {
  ConfigProviders,
  connectRefusals,
  Plugins,
  previewRefusals,
  type PreviewOptions,
  propertyEffects,
  workerDefaults,
} from '@tributary/runtime'
import { CodedError, StoppedError } from '@tributary/support'
import { notedEffects, type PrintedReport, refusalsOf } from '../check/check-report.ts'
import { plugins } from '../assembly/plugins.ts'
import { cliErrors } from '../errors.ts'
import type { ConnectorDocument } from '../forms/connector-document.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CheckContext {
  /** Of the worker, with references. */
  readonly worker: Readonly<Record<string, string>>
  readonly environment: Environment
  readonly signal: AbortSignal
}

/** The report on a connector, whose texts the mask must pass before they are printed. */
export interface CheckedDocument {
  readonly report: PrintedReport
  readonly mask: ReturnType<ConfigProviders['resolve']>['mask']
}

/**
 * Runs all checks of a connector's registration without registering it. The database is asked if all references have
 * values and the class is known.
 */
export async function checkDocument(document: ConnectorDocument, context: CheckContext): Promise<CheckedDocument> {
  const { name } = document
  const { worker, environment, signal } = context
  const providers = ConfigProviders.of(worker, environment)
  const { config, errors: missing, mask } = providers.resolve({ ...document.config, name })
  // The command contacts no broker. Where the environment names none, any address will do.
  const workerProperties = { 'bootstrap.servers': 'localhost:9092', ...providers.resolve(worker).config }
  const known = new Plugins(plugins)
  await known.loadFor({ ...workerProperties, ...config })
  const refusals = connectRefusals(known, workerProperties, config)
  const found = await checkConnector(config, { signal, refusals, asksServer: missing.size === 0 })
  const withReferences = { ...found, findings: withMissing(found.findings, missing) }
  // A schema registry is asked only about a connector that can be registered.
  const checked = isPreviewed(withReferences)
    ? await withPreviews(withReferences, { plugins: known, workerProperties, config }, signal)
    : withReferences
  const connector = known.source(config['connector.class'] ?? '')?.createConnector()
  // The document has the name outside of its given.
  const { name: _, ...given } = config
  const refused = refusalsOf(checked.findings)
  const noted = notedEffects(checked.findings)
  const properties =
    connector === undefined
      ? []
      : propertyEffects({ plugins: known, connector, config: given, refusals: refused, noted })
  return {
    report: { name, properties, ...checked, notChecked: notChecked(config, missing.size) },
    mask,
  }
}

/** A property with a reference that has no value has this error only: the others are about the text of the reference. */
function withMissing(findings: readonly Finding[], missing: ReadonlyMap<string, CodedError>): readonly Finding[] {
  const errors = [...missing].map(([property, error]): Finding => ({
    ...warningOf(property, error),
    severity: 'error',
  }))
  return [...errors, ...findings.filter(({ property }) => !missing.has(property))]
}

function isPreviewed({ server, findings }: CheckReport): boolean {
  return server !== null && findings.every(({ severity }) => severity !== 'error')
}

/**
 * The schemas of captured tables that a schema registry will refuse, by property. Stored offsets are unknown: no broker
 * is asked.
 */
async function previews(
  { plugins: known, workerProperties, config, ...options }: Omit<PreviewOptions, 'connector'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const connector = known.source(config['connector.class'] ?? '')?.createConnector()
  if (connector === undefined) return new Map()
  const context = { workerDefaults: workerDefaults(workerProperties), signal }
  try {
    return await previewRefusals({ plugins: known, workerProperties, connector, config, ...options }, context)
  } catch (error) {
    if (error instanceof StoppedError || !(error instanceof CodedError)) throw error
    // The checks report an invalid converter under its property.
    return new Map()
  }
}

/** Warnings, because the service registers the connector all the same. */
async function withPreviews(
  report: CheckReport,
  options: Omit<PreviewOptions, 'connector' | 'onWarning'>,
  signal: AbortSignal,
): Promise<CheckReport> {
  const ofConnections: Finding[] = []
  const onWarning = (property: string, warning: CodedError): void => {
    const isKnown = ofConnections.some(({ message }) => message === warning.message)
    if (!isKnown) ofConnections.push(warningOf(property, warning))
  }
  const found = await previews({ ...options, onWarning }, signal)
  const ofSchemas = [...found].flatMap(([property, reasons]) =>
    reasons.map((reason) => warningOf(property, cliErrors.SCHEMA_REFUSED_LATER({ reason }))),
  )
  return { ...report, findings: [...report.findings, ...ofConnections, ...ofSchemas] }
}

function warningOf(property: string, { code, name, message }: CodedError): Finding {
  return { severity: 'warning', code, className: name, property, message, statement: null }
}

/**
 * The brokers are not contacted: the command may run where they are unreachable, and before they exist. Neither is the
 * database without the values of references.
 */
function notChecked(config: Readonly<Record<string, string>>, missing: number): readonly string[] {
  const database = missing === 0 ? [] : ['The database, because references to config providers have no value here.']
  const topic = config['schema.history.internal.kafka.topic']
  const servers = config['schema.history.internal.kafka.bootstrap.servers']
  if (topic === undefined || servers === undefined) return database
  return [
    ...database,
    `The Kafka brokers of the schema history topic ${topic} (${servers}): the task connects to them when it starts.`,
  ]
}
