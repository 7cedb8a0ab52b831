import { toError } from '@tributary/support'
import { parentPort } from 'node:worker_threads'
import type { Plugins } from '../../plugins/plugins.ts'
import { HerderError } from '../herder-error.ts'
import { SameThreadChecks } from '../same-thread-checks.ts'
import type { TaskCommand } from '../../task/thread-protocol.ts'
import type { CheckCommand, CheckReport, CheckResult, ThreadError } from './check-messages.ts'

/**
 * Checks configurations, one after the other, as the main thread sends them. The main thread ends this one when a check
 * takes too long.
 */
export function answerChecks(plugins: Plugins): void {
  parentPort?.on('message', (command: CheckCommand | { readonly tag: TaskCommand['tag'] }) => {
    if (command.tag === 'check') void run(plugins, command).then(report)
  })
}

/** Never fires: the main thread ends this thread instead. */
const never = new AbortController().signal

async function run(plugins: Plugins, { wanted, request, workerProperties }: CheckCommand): Promise<CheckResult> {
  const onStep = (doing: string): void => report({ tag: 'step', doing })
  const checks = new SameThreadChecks({ plugins, workerProperties, onStep })
  try {
    await plugins.loadFor(request.config)
    switch (wanted) {
      case 'errors':
        return { tag: 'checked', values: await checks.check(request, never) }
      case 'warnings':
        return { tag: 'warned', warnings: await checks.warnings(request, never) }
      case 'tables':
        return { tag: 'listed', tables: await checks.tables(request, never) }
    }
  } catch (error) {
    return { tag: 'failed', error: threadError(error) }
  }
}

/** An error object would lose its class on the way. */
function threadError(thrown: unknown): ThreadError {
  const { message, stack = '' } = toError(thrown)
  return { problem: thrown instanceof HerderError ? thrown.problem : null, message, stack }
}

function report(message: CheckReport): void {
  parentPort?.postMessage(message)
}
