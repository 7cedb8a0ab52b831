import { describeError, StoppedError, throwIfStopped } from '@tributary/support'
import { temporaryFolder } from '@tributary/testkit'
import type { Demo } from './stage/demo.ts'
import { chooseNames, type Names } from './stage/names.ts'
import type { DemoOptions } from './stage/options.ts'
import type { Presenter } from './stage/presenter.ts'
import { SET_UP_STEPS, setUp } from './steps/set-up.ts'
import { showChanges } from './steps/changes.ts'
import { showHowToGoOn } from './steps/keep.ts'
import { register } from './steps/register.ts'
import { restart } from './steps/restart.ts'
import { showSnapshot } from './steps/snapshot.ts'
import { verify } from './steps/verify.ts'

type Step = readonly [title: string, run: (demo: Demo) => Promise<void>]

/** What is shown once servers and service run. */
const STEPS: readonly Step[] = [
  ['Registering a connector over REST', register],
  ['The snapshot: each row that is there becomes an event of kind r', showSnapshot],
  ['Changes become events as they happen', showChanges],
  ['A restart: what changes while Tributary is down is not lost', restart],
  ['Reading all topics once more from their beginning', verify],
]
/** Of a process that Ctrl-C has ended: 128 and the number of SIGINT. */
const INTERRUPTED = 130

/**
 * The whole demo; gives the exit code: 0 when every check held. Everything that it started is ended and removed when this returns.
 */
export async function runDemo(options: DemoOptions, presenter: Presenter, signal: AbortSignal): Promise<number> {
  await using stack = new AsyncDisposableStack()
  stack.defer(() => presenter.aside('everything that was started is ended'))
  try {
    const folder = stack.use(temporaryFolder('demo')).path
    const names = chooseNames(options)
    presenter.title('MySQL or MariaDB → Tributary → Kafka', SET_UP_STEPS + STEPS.length)
    announce(options, names, presenter)
    const demo = await setUp({ options, names, presenter, folder, signal }, stack)
    await play(demo)
    if (options.keep) {
      await showHowToGoOn(demo, folder)
      await untilStopped(signal)
    }
    return presenter.broken.length === 0 ? 0 : 1
  } catch (error) {
    if (error instanceof StoppedError) {
      presenter.line('interrupted: ending what was started …')
      return INTERRUPTED
    }
    presenter.failure(describeError(error))
    return 1
  }
}

async function play(demo: Demo): Promise<void> {
  const { presenter, signal } = demo
  for (const [title, run] of STEPS) {
    throwIfStopped(signal)
    presenter.step(title)
    await run(demo)
    presenter.stepDone()
  }
  presenter.verdict()
}

/** What is going to be made on servers that are not the demo's. */
function announce({ database, kafka }: DemoOptions, names: Names, presenter: Presenter): void {
  if (database !== null) {
    const { host, port, user } = database
    presenter.line(`On your server ${host}:${port} this demo, as user ${user}, creates the database ${names.database},`)
    presenter.line(
      `changes rows in it, reads the binlog as replica ${names.serverId}, and removes the database at the end.`,
    )
  }
  if (kafka !== null) {
    presenter.line(`On your broker ${kafka} it creates topics whose names begin with ${names.topicPrefix},`)
    presenter.line('and removes them at the end.')
  }
  if (database !== null || kafka !== null) presenter.line('')
}

function untilStopped(signal: AbortSignal): Promise<void> {
  // The timer keeps the process alive; the servers do not.
  const alive = setInterval(() => undefined, 60_000)
  return new Promise((resolve) => {
    const end = (): void => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
