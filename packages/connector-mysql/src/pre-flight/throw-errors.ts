import { CodedError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Finding } from './finding.ts'

/**
 * Throws the errors among the findings: a single one as it is, several as one error with the text and the code of each.
 *
 * @param address of the database
 * @param connector the name of the connector, for the request that restarts its task
 */
export function throwErrors(
  findings: readonly Finding[],
  { address, connector }: { readonly address: string; readonly connector: string },
): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  if (errors.length > 1) {
    const list = errors.map(({ message, code }, index) => `\n${index + 1}. ${message} [${code}]`).join('')
    throw connectorErrors.PRE_FLIGHT_FAILED({ address, connector, count: errors.length, list })
  }
  const { code, className, message } = first
  throw new CodedError(code, { className, message: '{message}', action: RESTART }, { message, connector })
}

const RESTART = 'Then restart the task: POST /connectors/{connector}/tasks/0/restart.'
