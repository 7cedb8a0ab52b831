import {
  checkConnector,
  type CheckReport,
  type Finding,
  mariadbConnectorPlugin,
  mysqlConnectorPlugin,
} from '@tributary/connector-mysql'
import {
  ConfigProviders,
  connectRefusals,
  Plugins,
  previewRefusals,
  type PreviewOptions,
  propertiesOfEnvironment,
  workerDefaults,
} from '@tributary/runtime'
import { CodedError, StoppedError, visibleJson, visibleText } from '@tributary/support'
import { type RenderedReport, renderReport } from '../check/render-report.ts'
import { readConnectorDocument, shownFile } from '../connectors/connector-document.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { cliErrors } from '../errors.ts'
import { plugins } from '../assembly/plugins.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { paletteOf } from '../terminal/palette.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Mask = ReturnType<ConfigProviders['resolve']>['mask']

/** The options of the command line. */
export interface CheckOptions {
  readonly name?: string
  readonly json?: boolean
}

/**
 * `tributary check FILE`: runs all checks of a connector's registration without registering it. Returns the exit code:
 * 1 if a check finds an error.
 */
export async function check(file: string, options: CheckOptions, environment: Environment): Promise<ExitCode> {
  const signal = endingSignal()
  try {
    const { name, config } = await readConnectorDocument(file, {
      name: options.name,
      fallbackName: 'checked',
    })
    const worker = propertiesOfEnvironment(environment)
    const providers = ConfigProviders.of(worker, environment)
    const resolved = providers.resolve({ ...textValues(config, file), name })
    const [missing] = resolved.errors.values()
    if (missing !== undefined) throw missing
    checkClass(resolved.config['connector.class'], file)
    // The command contacts no broker. Where the environment names none, any address will do.
    const workerProperties = { 'bootstrap.servers': 'localhost:9092', ...providers.resolve(worker).config }
    const known = new Plugins(plugins)
    await known.loadFor({ ...workerProperties, ...resolved.config })
    const refusals = connectRefusals(known, workerProperties, resolved.config)
    const found = await checkConnector(resolved.config, { signal, refusals })
    // A schema registry is asked only about a connector that can be registered.
    const checked = isPreviewed(found)
      ? await withPreviews(found, { plugins: known, workerProperties, config: resolved.config }, signal)
      : found
    const report = { ...checked, notChecked: notChecked(resolved.config) }
    process.stdout.write(options.json === true ? json(report, resolved.mask) : resolved.mask.text(text(report)))
    return report.findings.some(({ severity }) => severity === 'error') ? EXIT.failed : EXIT.ok
  } catch (error) {
    if (error instanceof StoppedError) return EXIT.failed
    if (!(error instanceof CodedError)) throw error
    process.stderr.write(`tributary check: ${visibleText(error.message)}\n`)
    return exitCodeOf(error)
  }
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

/** The brokers are not contacted: the command may run where they are unreachable, and before they exist. */
function notChecked(config: Readonly<Record<string, string>>): readonly string[] {
  const topic = config['schema.history.internal.kafka.topic']
  const servers = config['schema.history.internal.kafka.bootstrap.servers']
  if (topic === undefined || servers === undefined) return []
  return [
    `The Kafka brokers of the schema history topic ${topic} (${servers}): the task connects to them when it starts.`,
  ]
}

function text(report: RenderedReport): string {
  return renderReport(report, paletteOf(process.stdout))
}

/**
 * Masks secrets in strings only: in a number, the digits of a secret are a coincidence. Texts of the database may contain
 * controls that JSON does not escape.
 */
function json(report: RenderedReport, mask: Mask): string {
  const masked = (_: string, value: unknown): unknown => (typeof value === 'string' ? mask.text(value) : value)
  return `${visibleJson(JSON.stringify(report, masked))}\n`
}

/** Converts numbers and booleans to text, as the service does. */
function textValues(config: Readonly<Record<string, unknown>>, file: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [property, value] of Object.entries(config)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw cliErrors.CONNECTOR_DOCUMENT({
        file: shownFile(file),
        reason: `the value of ${property} is not a string, number or boolean`,
      })
    }
    values[property] = String(value)
  }
  return values
}

/** A worker also accepts the name of a class without its package, and without `Connector`. */
function checkClass(className: string | undefined, file: string): void {
  const known = [mysqlConnectorPlugin, mariadbConnectorPlugin].map((plugin) => plugin.className)
  const configured = className ?? ''
  const names = known.flatMap((full) => {
    const simple = full.slice(full.lastIndexOf('.') + 1)
    return [full, simple, simple.replace(/Connector$/, '')]
  })
  if (names.includes(configured)) return
  const reason =
    configured === '' ? 'it has no connector.class' : `connector.class is ${configured}, which check does not know`
  throw cliErrors.CONNECTOR_CLASS({ file: shownFile(file), reason, classes: known.join(', ') })
}
