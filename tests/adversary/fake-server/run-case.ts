import { checkConnector } from '@tributary/connector-mysql'
import { CodedError, describeError, systemClock } from '@tributary/support'
import { type Conversation, scriptOf, startFakeServer } from '@tributary/testkit'
import { unclearIn } from './clear-texts.ts'
import type { FaultCase } from './fault-case.ts'
import { ObservedTask } from './observed-task.ts'
import { quickClock } from './quick-clock.ts'

/** What came of a case. */
export interface CaseResult {
  readonly ended: 'failed' | 'recovered' | 'hung'
  /** What a user reads: findings, warnings and the failure, each with its code. */
  readonly texts: readonly string[]
  /** Why the result is wrong; null when it is right. */
  readonly defect: string | null
}

export interface CaseSurroundings {
  readonly conversation: Conversation
  /** Addresses and topic of the schema history. */
  readonly history: Readonly<Record<string, string>>
}

/** How fast time limits expire in a case about silence. */
interface Pace {
  readonly connectTimeoutMs: number
  readonly hurry: number
}

/** The limit of 30 s for a check expires after two seconds. */
const FAST: Pace = { connectTimeoutMs: 300, hurry: 15 }
const SLOW: Pace = { connectTimeoutMs: 3_000, hurry: 3 }

/** Runs a case against a fake server of its own, and judges what came of it. */
export async function runCase(each: FaultCase, around: CaseSurroundings): Promise<CaseResult> {
  const result = await tryCase(each, around, FAST)
  // On a busy machine a limit may expire before the fault.
  const isEarly = result.defect === NOT_STRUCK || result.texts.some((text) => text.startsWith('[PRE_FLIGHT_LATE]'))
  return each.isSilent === true && result.defect !== null && isEarly ? tryCase(each, around, SLOW) : result
}

async function tryCase(each: FaultCase, around: CaseSurroundings, pace: Pace): Promise<CaseResult> {
  const { conversation, history } = around
  await using server = await startFakeServer({ ...scriptOf(conversation, each.entry !== 'snapshot'), ...each.server })
  const config = {
    ...conversation.config,
    'database.hostname': server.host,
    'database.port': String(server.port),
    'connect.timeout.ms': each.isSilent === true ? String(pace.connectTimeoutMs) : '10000',
    'connect.keep.alive.interval.ms': each.entry === 'stream' ? '5000' : '60000',
    ...(each.entry === 'stream' && each.ends === 'failed' && each.isSilent !== true ? PATIENT : {}),
    ...history,
    ...each.config,
  }
  const observed =
    each.entry === 'check' ? await runCheck(each, config, pace) : await runTask(each, config, conversation)
  const struck = server.state.struck > 0 || (each.server.faults ?? []).length === 0
  return { ...observed, defect: observed.defect ?? (struck ? judge(each, observed, server.port) : NOT_STRUCK) }
}

/**
 * On a busy machine, a stream that has to fail by what it reads would be lost before that, and read again without the
 * fault.
 */
const PATIENT = { 'connect.timeout.ms': '150000', 'connect.keep.alive.interval.ms': '150000' }

const NOT_STRUCK = 'the fault did not strike'
/** No case needs a tenth of it. */
const DEADLINE_MS = 30_000
/** A stream without heartbeats for five seconds is lost after a third of one. */
const HURRY = 15
/** Five minutes for an answer expire after three seconds. */
const HURRY_OF_SNAPSHOT = 100

type Observed = Omit<CaseResult, 'defect'> & { readonly defect: string | null }

async function runCheck(each: FaultCase, config: Readonly<Record<string, string>>, pace: Pace): Promise<Observed> {
  const clock = each.isSilent === true ? quickClock(pace.hurry) : systemClock
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  try {
    const { findings } = await checkConnector(config, { clock, signal: deadline })
    const texts = findings.map(({ code, message }) => `[${code}] ${message}`)
    const hasErrors = findings.some(({ severity }) => severity === 'error')
    return { ended: hasErrors ? 'failed' : 'recovered', texts, defect: null }
  } catch (error) {
    if (deadline.aborted) return { ended: 'hung', texts: [], defect: 'it hangs' }
    return { ended: 'failed', texts: [String(error)], defect: `no coded error: ${String(error)}` }
  }
}

async function runTask(
  each: FaultCase,
  config: Readonly<Record<string, string>>,
  { flavor, offset, changes, snapshotChanges }: Conversation,
): Promise<Observed> {
  const isStream = each.entry === 'stream'
  const expected = isStream ? changes.slice(snapshotChanges) : changes
  await using task = new ObservedTask({
    flavor,
    config,
    stored: isStream ? offset : null,
    clock: quickClock(isStream ? HURRY : HURRY_OF_SNAPSHOT),
  })
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  let failure: unknown = null
  try {
    await task.until(() => task.changes.at(-1) === expected.at(-1), deadline)
  } catch (error) {
    failure = error
  }
  const warnings = task.logger.lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ message, fields }) =>
      fields?.['error'] === undefined ? message : `${message}: ${textOf(fields['error'])}`,
    )
  const texts = [...warnings, ...(failure === null ? [] : [textOf(failure)])]
  const wrong = isStream ? wrongStream(task.changes, expected) : wrongSnapshot(task.changes, expected)
  if (deadline.aborted) return { ended: 'hung', texts, defect: `it hangs after ${task.changes.length} changes` }
  if (failure === null) return { ended: 'recovered', texts, defect: wrong ?? lacking(task.changes, expected) }
  const isCoded = failure instanceof CodedError
  return { ended: 'failed', texts, defect: wrong ?? (isCoded ? null : `no coded error: ${describeError(failure)}`) }
}

function textOf(error: unknown): string {
  return error instanceof CodedError ? `[${error.code}] ${describeError(error)}` : describeError(error)
}

/** A stream yields each change once, in order. */
function wrongStream(changes: readonly string[], expected: readonly string[]): string | null {
  const index = changes.findIndex((change, i) => change !== expected[i])
  return index < 0 ? null : `change ${index} is ${changes[index]} instead of ${expected[index]}`
}

/** A snapshot that begins again repeats rows. */
function wrongSnapshot(changes: readonly string[], expected: readonly string[]): string | null {
  const index = changes.findIndex((change) => !expected.includes(change))
  return index < 0 ? null : `the server did not send change ${index}: ${changes[index]}`
}

function lacking(changes: readonly string[], expected: readonly string[]): string | null {
  const missing = expected.find((change) => !changes.includes(change))
  return missing === undefined ? null : `it lacks ${missing}`
}

function judge({ ends, reads }: FaultCase, { ended, texts }: Observed, port: number): string | null {
  for (const text of texts) {
    const unclear = unclearIn(text)
    if (unclear !== null) return `${unclear}: ${JSON.stringify(text)}`
  }
  if (ends === 'healthy') return ended === 'recovered' ? null : `it has ${ended}: ${JSON.stringify(texts)}`
  if (ends === 'unharmed' && ended === 'recovered') return null
  if ((ends === 'failed' || ends === 'recovered') && ends !== ended) return `it has ${ended}`
  if (texts.length === 0) return 'nothing is logged'
  if (reads !== undefined) return texts.some((text) => reads.test(text)) ? null : `it reads ${JSON.stringify(texts)}`
  const isNamed = texts.some(
    (text) => text.includes(`127.0.0.1:${port}`) || /binlog\.\d{6}:\d+|at the start of the dump/.test(text),
  )
  return isNamed ? null : `no address and no position: ${JSON.stringify(texts)}`
}
