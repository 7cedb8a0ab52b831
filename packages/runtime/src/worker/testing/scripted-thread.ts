import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { present } from '@tributary/support'
import type { TaskCommand, TaskReport } from '../../task/task-messages.ts'

/** A task's thread that does what its configuration says under `script`. */
const port = present(parentPort, 'the thread that has started this one')
const [command] = (await once(port, 'message')) as [TaskCommand]
const taskConfig = command.tag === 'begin' ? command.data.taskConfig : {}

function report(message: TaskReport): void {
  port.postMessage(message)
}

function endWhenToldTo(): void {
  port.on('message', () => {
    report({ tag: 'stopped' })
    port.close()
  })
}

switch (taskConfig['script']) {
  case 'works':
    report({ tag: 'started' })
    report({ tag: 'topic', topic: 'orders' })
    endWhenToldTo()
    break
  case 'tells levels': {
    const tell = (told: TaskCommand): void => {
      if (told.tag === 'begin' || told.tag === 'log levels') report({ tag: 'topic', topic: `${told.logLevels['a']}` })
    }
    tell(command)
    port.on('message', tell)
    port.on('message', ({ tag }: TaskCommand) => {
      if (tag === 'stop') port.close()
    })
    break
  }
  case 'fails':
    report({ tag: 'failed', trace: 'Error: its own words', isRetriable: false })
    break
  case 'throws':
    throw new Error('nobody caught this')
  case 'throws a secret':
    throw new Error(`cannot log in with ${taskConfig['database.password']}`)
  case 'exits':
    process.exit(3)
  case 'is stuck':
    report({ tag: 'started' })
    // Nothing else is looked at any more: neither messages nor time.
    for (;;);
  default:
    throw new Error(`there is no script ${taskConfig['script']}`)
}
