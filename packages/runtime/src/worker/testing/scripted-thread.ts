import { parentPort, type MessagePort } from 'node:worker_threads'
import type { TaskCommand, TaskReport, ThreadCommand } from '../../task/thread-protocol.ts'

/** A thread whose tasks run the script named in their configurations. */
parentPort?.on('message', (command: ThreadCommand) => {
  if (command.tag === 'end') parentPort?.close()
  else if (command.tag === 'ping') parentPort?.postMessage({ tag: 'pong' })
  else command.port.once('message', (first: TaskCommand) => run(command.port, first))
})

function run(port: MessagePort, command: TaskCommand): void {
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
        if (tag !== 'stop') return
        report({ tag: 'stopped' })
        port.close()
      })
      break
    }
    case 'leaves out changes at its start':
      report({ tag: 'started' })
      report({ tag: 'leaves out at start' })
      stopOnCommand()
      break
    case 'fails':
      report({
        tag: 'failed',
        trace: 'Error: the trace of the task',
        isRetriable: false,
        hasAdvanced: false,
        refused: null,
        problem: { code: null, message: 'the trace of the task', action: null },
      })
      port.close()
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
}
