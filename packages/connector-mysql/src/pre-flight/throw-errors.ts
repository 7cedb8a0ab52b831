import { CodedError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import { findingDefinitions } from './finding-definitions.ts'
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
  const definition = { className, message: '{message}', action: RESTART, recoverable: isRecoverable(code) }
  throw new CodedError(code, definition, { message, connector })
}

/** All errors without a definition come from the connection or from a statement. */
function isRecoverable(code: string): boolean {
  const definition = new Map(Object.entries(findingDefinitions)).get(code)
  return definition === undefined || definition.recoverable === true
}

const RESTART =
  'The task starts again by itself within five minutes, or at once with POST /connectors/{connector}/tasks/0/restart.'
