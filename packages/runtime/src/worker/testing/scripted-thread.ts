import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { present } from '@tributary/support'
import type { TaskCommand, TaskReport } from '../../task/thread-protocol.ts'

/** A task's thread that runs the script named in its configuration. */
const port = present(parentPort, 'the thread that has started this one')
const [command] = (await once(port, 'message')) as [TaskCommand]
const taskConfig = command.tag === 'start' ? command.data.taskConfig : {}

function report(message: TaskReport): void {
  port.postMessage(message)
}

function stopOnCommand(): void {
  port.on('message', () => {
    report({ tag: 'stopped' })
    port.close()
  })
}

switch (taskConfig['script']) {
  case 'works':
    report({ tag: 'started' })
    report({ tag: 'topic', topic: 'orders' })
    stopOnCommand()
    break
  case 'reports levels': {
    const reportLevels = (received: TaskCommand): void => {
      if (received.tag !== 'start' && received.tag !== 'log levels') return
      report({ tag: 'topic', topic: `${received.logLevels['a']}` })
    }
    reportLevels(command)
    port.on('message', reportLevels)
    port.on('message', ({ tag }: TaskCommand) => {
      if (tag === 'stop') port.close()
    })
    break
  }
  case 'fails':
    report({
      tag: 'failed',
      trace: 'Error: the trace of the task',
      isRetriable: false,
      hasAdvanced: false,
      refused: null,
      problem: { code: null, message: 'the trace of the task', action: null },
    })
    break
  case 'throws':
    throw new Error('an uncaught error')
  case 'throws a secret':
    throw new Error(`cannot log in with ${taskConfig['database.password']}`)
  case 'exits':
    process.exit(3)
  case 'is stuck':
    report({ tag: 'started' })
    // Handles neither messages nor timers any more.
    for (;;);
  default:
    throw new Error(`there is no script ${taskConfig['script']}`)
}
