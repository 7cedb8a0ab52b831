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

/** The steps that follow when servers and service run. */
const STEPS: readonly Step[] = [
  ['Registering a connector through the REST interface', register],
  ['Snapshot: each existing row becomes a read event (op r)', showSnapshot],
  ['Streaming: each change becomes an event as soon as it is committed', showChanges],
  ['Restart: changes made while Tributary is stopped are not lost', restart],
  ['Reading all topics again from the beginning', verify],
]
/** Exit code of a process that Ctrl-C has stopped: 128 + the number of SIGINT. */
const INTERRUPTED = 130

/**
 * Runs the demo and returns the exit code. When it returns, everything that the demo started is stopped and removed.
 */
export async function runDemo(options: DemoOptions, presenter: Presenter, signal: AbortSignal): Promise<number> {
  await using stack = new AsyncDisposableStack()
  stack.defer(() => presenter.aside('The demo has stopped all processes that it started.'))
  try {
    const folder = stack.use(temporaryFolder('demo')).path
    const names = chooseNames(options)
    presenter.title(
      'Tributary demo: row changes in MySQL or MariaDB become events in topics',
      SET_UP_STEPS + STEPS.length,
    )
    announce(options, names, presenter)
    const demo = await setUp({ options, names, presenter, folder, signal }, stack)
    await play(demo)
    if (options.keep) {
      await showHowToGoOn(demo, folder)
      await untilStopped(signal)
    } else {
      presenter.aside('To try it yourself, run npm run demo -- --keep: it leaves everything running.')
    }
    return presenter.failedChecks.length === 0 ? 0 : 1
  } catch (error) {
    if (error instanceof StoppedError) {
      presenter.line('Interrupted: stopping all processes of the demo …')
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

/** Prints what the demo is going to create on the user's own servers. */
function announce({ database, broker }: DemoOptions, names: Names, presenter: Presenter): void {
  if (database !== null) {
    const { host, port, user } = database
    presenter.line(`On your server ${host}:${port}, the demo creates the database ${names.database} as user ${user},`)
    presenter.line(
      `changes rows in it, reads the binlog as replica ${names.serverId}, and removes the database at the end.`,
    )
  }
  if (broker.tag === 'own') {
    presenter.line(
      `On your broker ${broker.address}, the demo creates topics whose names begin with ${names.topicPrefix},`,
    )
    presenter.line('and removes them at the end.')
  }
  if (database !== null || broker.tag === 'own') presenter.line('')
}

function untilStopped(signal: AbortSignal): Promise<void> {
  // Only this timer keeps the process alive.
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
