import type { ConfigMap } from '@tributary/connect-api'
import type { OpenSocket } from '@tributary/kafka'
import { doneOr, problemOf, systemClock, toError, withOutages } from '@tributary/support'
import type { Clock, Logger, LogLevels } from '@tributary/support'
import { parentPort } from 'node:worker_threads'
import { loggerNamed } from '../config/logger-names.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import { IdleMemory } from './idle-memory.ts'
import { resolveTaskData, type ResolvedTaskData } from './resolved-task-data.ts'
import { refusedRecord } from './record-failure.ts'
import { runTask, type TaskSetting } from './run-task.ts'
import { answerOf, STARTING_TASK } from './task-answers.ts'
import { failureKind, type FailureKind } from './task-failure.ts'
import { maskedOutage, maskedProblem, OutageReports } from './outage-reports.ts'
import type {
  TaskCommand,
  TaskPort,
  TaskReport,
  TaskThreadData,
  ThreadAnswer,
  ThreadCommand,
} from './thread-protocol.ts'
import { formatTrace } from './trace.ts'
import { v8Heap } from './v8-heap.ts'

/** What the tasks of a thread share. */
export interface ThreadParts {
  readonly plugins: Plugins
  readonly logger: Logger
  readonly levels: LogLevels
  readonly memory: IdleMemory
  readonly clock: Clock
  /** Default: TCP or TLS. */
  readonly openSocket?: OpenSocket | undefined
}

const PONG: ThreadAnswer = { tag: 'pong' }

/** Runs the tasks that the worker gives to this thread, until it sends `end`. */
export function hostTasks(plugins: Plugins, logger: Logger, levels: LogLevels): void {
  const clock = systemClock
  const memory = new IdleMemory({ heap: v8Heap, clock, logger: logger.child(loggerNamed('worker')) })
  parentPort?.on('message', (command: ThreadCommand) => {
    if (command.tag === 'host') void hostTask(command.port, { plugins, logger, levels, memory, clock })
    else if (command.tag === 'ping') parentPort?.postMessage(PONG)
    else if (command.tag === 'end') parentPort?.close()
  })
}

/**
 * Waits for the worker's command to start the task, runs it until it is stopped or fails, and reports how it ended.
 */
export async function hostTask(port: TaskPort, parts: ThreadParts): Promise<void> {
  const { levels } = parts
  const report = (message: TaskReport): void => port.postMessage(message)
  const stop = new AbortController()
  let answer: Answer = (question) => answerOf(STARTING_TASK, question)
  const onAsk = (given: Answer): void => {
    answer = given
  }
  const data = await new Promise<TaskThreadData>((resolve) => {
    port.on('message', (command: TaskCommand) => {
      if (command.tag === 'ask') {
        const { number, question } = command
        void answer(question).then((each) => report({ tag: 'answer', number, answer: each }))
      }
      if (command.tag === 'start' || command.tag === 'log levels') levels.restore(command.logLevels)
      if (command.tag === 'start') resolve(command.data)
      else if (command.tag === 'stop') stop.abort()
    })
  })
  let isClean = true
  const onUncleanStop = (): void => {
    isClean = false
  }
  try {
    const resolved = resolveTaskData(data)
    await runHosted({ port, resolved, report, onAsk, onUncleanStop, stop: stop.signal }, parts)
  } catch (error) {
    // References could be resolved in the main thread a moment ago.
    const isRetriable = failureKind(error, stop.signal) !== 'fail'
    const trace = formatTrace(error)
    report({ tag: 'failed', trace, isRetriable, hasAdvanced: false, refused: null, problem: problemOf(error) })
  } finally {
    // Else the worker ends the thread before the task starts again: there must never be two readers.
    if (isClean) port.close()
  }
}

type Answer = Parameters<TaskSetting['onAsk']>[0]

interface HostedTask {
  readonly port: TaskPort
  readonly resolved: ResolvedTaskData
  readonly report: (message: TaskReport) => void
  readonly onAsk: TaskSetting['onAsk']
  readonly onUncleanStop: () => void
  readonly stop: AbortSignal
}

async function runHosted(
  { port, resolved, report, onAsk, onUncleanStop, stop }: HostedTask,
  { plugins, logger, memory, clock, openSocket }: ThreadParts,
): Promise<void> {
  const { mask, data } = resolved
  const { connectorName, taskNumber } = data
  using reports = new OutageReports(clock, (outages) =>
    report({ tag: 'waiting', outages: outages.map((outage) => maskedOutage(outage, mask)) }),
  )
  const taskLogger = withOutages(mask.logger(logger), reports.board)
  let hasAdvanced = false
  const threadLogger = taskLogger.child({ connectorName, connectorContext: 'task', ...loggerNamed('worker') })
  try {
    await runTask({
      resolved,
      plugins,
      logger: taskLogger,
      threadLogger,
      report,
      onForgetTopics: (forget) => {
        port.on('message', ({ tag }: TaskCommand) => {
          if (tag === 'forget topics') forget()
        })
      },
      onMeasure: (measure) => {
        port.on('message', ({ tag }: TaskCommand) => {
          if (tag === 'measure') measure()
        })
      },
      onCommitOffsets: (commit) => {
        port.on('message', ({ tag }: TaskCommand) => {
          if (tag === 'commit offsets') commit()
        })
      },
      onAsk,
      readOffsets: (signal) => doneOr(claimedOffsets(port), signal),
      memory,
      clock,
      openSocket,
      onUncleanStop,
      onAdvanced: () => {
        hasAdvanced = true
      },
      signal: stop,
    })
    report({ tag: 'stopped' })
  } catch (error) {
    const kind = failureKind(error, stop)
    if (kind === 'stop') {
      report({ tag: 'stopped' })
      return
    }
    threadLogger.error(failureText(taskId(connectorName, taskNumber), kind), { error: toError(error) })
    report({
      tag: 'failed',
      trace: mask.text(formatTrace(error)),
      isRetriable: kind !== 'fail',
      hasAdvanced,
      refused: refusedRecord(error),
      problem: maskedProblem(problemOf(error), mask),
      retryProperties: retryProperties(resolved.taskConfig.config),
    })
  }
}

/** The worker does not resolve references. */
function retryProperties(config: ConfigMap): ConfigMap {
  return Object.fromEntries(Object.entries(config).filter(([name]) => RETRY_PROPERTIES.has(name)))
}

const RETRY_PROPERTIES: ReadonlySet<string> = new Set(['errors.max.retries', 'retriable.restart.connector.wait.ms'])

function failureText(task: string, kind: FailureKind): string {
  return kind !== 'fail'
    ? `Task ${task} failed with an error that may be temporary. The worker restarts it after a pause`
    : `Task ${task} threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted`
}

/** Reports to the worker that all earlier producers of the task are fenced, and waits for the stored offsets. */
function claimedOffsets(port: TaskPort): Promise<readonly StoredOffset[]> {
  return new Promise((resolve) => {
    port.on('message', (command: TaskCommand) => {
      if (command.tag === 'offsets') resolve(command.storedOffsets)
    })
    const claimed: TaskReport = { tag: 'claimed' }
    port.postMessage(claimed)
  })
}
