import type { ConfigMap } from '@tributary/connect-api'
import { checkConnector, type CheckReport, type Finding } from '@tributary/connector-mysql'
import { cliErrors } from '../errors.ts'

export interface SourceCheckOptions {
  /** Findings that the command does not print, unless they are errors: they are about other uses. */
  readonly leftOut: ReadonlySet<string>
  /** The connector has no offset yet. */
  readonly isNew: boolean
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/**
 * The pre-flight of a command: prints what the server lacks, with the statements that add it.
 *
 * @throws DATABASE_REFUSED when that is an error
 */
export async function checkSource(config: ConfigMap, options: SourceCheckOptions): Promise<CheckReport> {
  const { leftOut, isNew, note, signal } = options
  const report = await checkConnector(config, { signal, isNew })
  const errors = report.findings.filter(({ severity }) => severity === 'error')
  for (const finding of report.findings) {
    if (finding.severity === 'error' || !leftOut.has(finding.code)) noteFinding(finding, note)
  }
  if (errors.length > 0) throw cliErrors.DATABASE_REFUSED({ count: errors.length })
  return report
}

function noteFinding({ message, statement }: Finding, note: (text: string) => void): void {
  note(message)
  if (statement !== null && !message.includes(statement)) note(`  ${statement}`)
}
