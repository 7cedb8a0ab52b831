import type { ConnectorRequest, HerderError, HerderProblem } from '../herder/herder-error.ts'
import type { SignatureRefusal } from '../session-key/request-signature.ts'
import { RequestError } from './request-error.ts'

/**
 * Maps the herder's problems to answers; no other code knows both. The texts are those of Kafka Connect 4.3, byte for
 * byte; `rest-replay.test.ts` compares them with recordings.
 */
export function toRequestError(error: HerderError): RequestError {
  const [status, message] = answerOf(error.problem)
  return new RequestError(status, message, error, RETRY_AFTER[error.problem.tag])
}

/** Seconds after which a request that has changed nothing may succeed. */
const RETRY_AFTER: Readonly<Partial<Record<HerderProblem['tag'], number>>> = {
  rebalancing: 1,
  'not leader': 1,
  'not owner': 1,
  'stale configuration': 1,
  'no session key': 1,
}

function answerOf(problem: HerderProblem): readonly [status: number, message: string] {
  switch (problem.tag) {
    case 'unknown connector':
      return [404, unknownConnectorTexts[problem.request](problem.connector)]
    case 'no connector status':
      return [404, statusTexts[problem.request](problem.connector)]
    case 'unknown task':
      return [404, `Unknown task: ${problem.connector}-${problem.task}`]
    case 'no task status':
      return [404, `No status found for task ${problem.connector}-${problem.task}`]
    case 'unknown plugin':
      return [404, `Unknown plugin ${problem.className}.`]
    case 'unknown logger':
      return [404, `Logger ${problem.logger} not found.`]
    case 'connector already exists':
      return [409, `Connector ${problem.connector} already exists`]
    case 'connector not stopped':
      return [400, notStoppedText(problem.connector)]
    case 'invalid offset':
      return [400, `The offset cannot be stored: ${problem.reason}`]
    case 'no connector class':
      return [400, `Connector config ${problem.shownConfig} contains no connector type`]
    case 'unknown connector class':
      return [400, problem.text]
    case 'invalid configuration':
      return [400, invalidText(problem.errors)]
    case 'validation failed':
    case 'storage failed':
      return [500, problem.reason]
    case 'topic tracking disabled':
      return [403, 'Topic tracking is disabled.']
    case 'topic reset disabled':
      return [403, 'Topic tracking reset is disabled.']
    case 'worker stopping':
      return [500, 'Worker is shutting down']
    case 'verification running':
      return [409, `Verification ${problem.id} of connector ${problem.connector} is running: wait for it, or delete it`]
    case 'too many verifications':
      return [409, `${problem.running} verifications are running on this worker: wait for one, or delete one`]
    case 'unknown verification':
      return [404, `Verification ${problem.id} of connector ${problem.connector} not found`]
    case 'invalid signal':
      return [400, problem.reason]
    case 'signal refused':
      return [409, problem.reason]
    case 'signal not stored':
      return [503, notStoredText(problem.id)]
    case 'fencing not supported':
      return [
        500,
        'This worker does not fence producers: set exactly.once.source.support to preparing or enabled on all workers of the group',
      ]
    default:
      return groupAnswerOf(problem)
  }
}

type GroupProblem = Extract<
  HerderProblem,
  { tag: 'not leader' | 'not owner' | 'rebalancing' | 'stale configuration' | SignatureRefusal['tag'] }
>

/** Errors of requests in a group of several workers. Kafka Connect has three texts for a request during a rebalance. */
function groupAnswerOf(problem: GroupProblem): readonly [status: number, message: string] {
  switch (problem.tag) {
    case 'rebalancing':
      return [409, conflictText]
    case 'not leader':
      return [409, problem.leaderUrl === null ? noLeaderText : conflictText]
    case 'not owner':
      return [409, problem.ownerUrl === null ? noLeaderText : conflictText]
    case 'stale configuration':
      return [
        409,
        'Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)',
      ]
    case 'signature missing':
      return [400, 'Internal request missing required signature']
    case 'signature algorithm refused':
      return [400, refusedAlgorithmText(problem)]
    case 'no session key':
      return [
        503,
        'This worker is still starting up and has not been able to read a session key from the config topic yet',
      ]
    case 'signature invalid':
      return [403, 'Internal request contained invalid signature.']
  }
}

const conflictText = 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)'
const noLeaderText =
  'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.'

function refusedAlgorithmText({
  algorithm,
  allowed,
}: SignatureRefusal & { tag: 'signature algorithm refused' }): string {
  return `This worker does not support the '${algorithm}' key signing algorithm used by other workers. This worker is currently configured to use: [${allowed.join(', ')}]. Check that all workers' configuration files permit the same set of signature algorithms, and correct any misconfigured worker and restart it.`
}

const unknownConnectorTexts: Readonly<Record<ConnectorRequest, (connector: string) => string>> = {
  read: (connector) => `Connector ${connector} not found`,
  'set target state': (connector) => `Unknown connector ${connector}`,
  restart: (connector) => `Unknown connector: ${connector}`,
}

const statusTexts: Readonly<Record<'read' | 'restart', (connector: string) => string>> = {
  read: (connector) => `No status found for connector ${connector}`,
  restart: (connector) => `Status for connector ${connector} not found`,
}

function notStoredText(id: string): string {
  return `The effect of the signal '${id}' was not stored in time: the health of the task may have the reason. Repeat the request with the same id: if it is one of the last 16 signals that were run, it is not run again`
}

function notStoppedText(connector: string): string {
  return `Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by issuing a 'PUT' request to the '/connectors/${connector}/stop' endpoint`
}

function invalidText(errors: readonly string[]): string {
  return [
    `Connector configuration is invalid and contains the following ${errors.length} error(s):`,
    ...errors,
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n')
}
