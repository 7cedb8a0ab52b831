import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { propertiesOfEnvironment } from '@tributary/runtime'
import { CodedError, StoppedError, visibleJson, visibleText } from '@tributary/support'
import { renderReport } from '../check/render-report.ts'
import { cliErrors } from '../errors.ts'
import type { ConnectorDocument } from '../forms/connector-document.ts'
import { readConnectorDocuments, shownFile } from '../forms/read-documents.ts'
import { documentJson, renderDocument } from '../forms/show-document.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { paletteOf } from '../terminal/palette.ts'
import { checkDocument, type CheckedDocument } from './check-document.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the command line. */
export interface CheckOptions {
  readonly name?: string
  readonly json?: boolean
}

/**
 * `tributary check FILE`: checks the connectors of a file without registering them. Returns the exit code: 1 if a check
 * finds an error.
 */
export async function check(file: string, options: CheckOptions, environment: Environment): Promise<ExitCode> {
  const signal = endingSignal()
  try {
    const documents = await readConnectorDocuments(file, { name: options.name, fallbackName: 'checked', environment })
    for (const { config } of documents) checkClass(config['connector.class'], file)
    const context = { worker: propertiesOfEnvironment(environment), environment, signal }
    let worst: ExitCode = EXIT.ok
    for (const document of documents) {
      const checked = await checkDocument(document, context)
      if (options.json === true) process.stdout.write(json(document, checked))
      else print(document, checked, documents.length > 1)
      if (checked.report.findings.some(({ severity }) => severity === 'error')) worst = EXIT.failed
    }
    return worst
  } catch (error) {
    if (error instanceof StoppedError) return EXIT.failed
    if (!(error instanceof CodedError)) throw error
    process.stderr.write(`tributary check: ${visibleText(error.message)}\n`)
    return exitCodeOf(error)
  }
}

function print(document: ConnectorDocument, { report, mask }: CheckedDocument, isOneOfSeveral: boolean): void {
  const palette = paletteOf(process.stdout)
  for (const note of document.notes) process.stderr.write(`tributary check: ${visibleText(note)}\n`)
  const head = isOneOfSeveral ? `${palette.name(visibleText(document.name))}\n\n` : ''
  const text = renderDocument(document)
  process.stdout.write(mask.text(`${head}${text}${text === '' ? '' : '\n'}${renderReport(report, palette)}`))
  if (isOneOfSeveral) process.stdout.write('\n')
}

/**
 * Masks secrets in strings only: in a number, the digits of a secret are a coincidence. Texts of the database may contain
 * controls that JSON does not escape.
 */
function json(document: ConnectorDocument, { report, mask }: CheckedDocument): string {
  const masked = (_: string, value: unknown): unknown => (typeof value === 'string' ? mask.text(value) : value)
  const whole = { ...report, document: documentJson(document), notes: document.notes }
  return `${visibleJson(JSON.stringify(whole, masked))}\n`
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
