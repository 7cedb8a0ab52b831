import {
  checkConnector,
  type CheckReport,
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
import { CodedError, StoppedError } from '@tributary/support'
import { renderReport } from '../check/render-report.ts'
import { readConnectorDocument } from '../connectors/connector-document.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { cliErrors } from '../errors.ts'
import { plugins } from '../assembly/plugins.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { paletteOf } from '../terminal/palette.ts'
import { visibleText } from '../terminal/visible-text.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Mask = ReturnType<ConfigProviders['resolve']>['mask']

/** As the command line gives them. */
export interface CheckOptions {
  readonly name?: string
  readonly json?: boolean
}

/**
 * `tributary check FILE`: says how a database looks to a connector. Gives the exit code: 1 when an error is found, or nothing could
 * be looked at.
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
    // No broker is asked anything: any address serves where the environment names none.
    const workerProperties = { 'bootstrap.servers': 'localhost:9092', ...providers.resolve(worker).config }
    const known = new Plugins(plugins)
    const refusals = connectRefusals(known, workerProperties, resolved.config)
    const found = await checkConnector(resolved.config, { signal, refusals })
    // Of a connector that cannot be registered, no table can be said to be captured.
    const report = isPreviewed(found)
      ? withPreviews(found, await previews({ plugins: known, workerProperties, config: resolved.config }, signal))
      : found
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

/** What a schema registry will refuse of the tables as they are. No broker is asked, so that nothing is known of stored offsets. */
async function previews(
  { plugins: known, workerProperties, config }: Omit<PreviewOptions, 'connector'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const connector = known.source(config['connector.class'] ?? '')?.createConnector()
  if (connector === undefined) return new Map()
  const context = { workerDefaults: workerDefaults(workerProperties), signal }
  try {
    return await previewRefusals({ plugins: known, workerProperties, connector, config }, context)
  } catch (error) {
    if (error instanceof StoppedError || !(error instanceof CodedError)) throw error
    // A converter that cannot be made is told by its property.
    return new Map()
  }
}

/** They are no reason not to register the connector: warnings. */
function withPreviews(report: CheckReport, found: ReadonlyMap<string, readonly string[]>): CheckReport {
  const findings = [...found].flatMap(([property, texts]) =>
    texts.map((reason) => {
      const { code, name, message } = cliErrors.SCHEMA_REFUSED_LATER({ reason })
      return { severity: 'warning' as const, code, className: name, property, message, statement: null }
    }),
  )
  return { ...report, findings: [...report.findings, ...findings] }
}

function text(report: CheckReport): string {
  return renderReport(report, paletteOf(process.stdout))
}

/** Only texts are masked: a number in which a short value stands is no less a number. */
function json(report: CheckReport, mask: Mask): string {
  return `${JSON.stringify(report, (_, value: unknown) => (typeof value === 'string' ? mask.text(value) : value))}\n`
}

/** Numbers and booleans as the service takes them: as their text. */
function textValues(config: Readonly<Record<string, unknown>>, file: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [property, value] of Object.entries(config)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw cliErrors.CONNECTOR_DOCUMENT({ file, reason: `the value of ${property} is not a text` })
    }
    values[property] = String(value)
  }
  return values
}

/** What a worker would say first. It understands the name of a class without its package and its kind, too. */
function checkClass(className: string | undefined, file: string): void {
  const known = [mysqlConnectorPlugin, mariadbConnectorPlugin].map((plugin) => plugin.className)
  const asked = className ?? ''
  const names = known.flatMap((full) => {
    const simple = full.slice(full.lastIndexOf('.') + 1)
    return [full, simple, simple.replace(/Connector$/, '')]
  })
  if (names.includes(asked)) return
  const reason = asked === '' ? 'it has no connector.class' : `connector.class names ${asked}`
  throw cliErrors.CONNECTOR_DOCUMENT({ file, reason: `${reason}; there are ${known.join(' and ')}` })
}
