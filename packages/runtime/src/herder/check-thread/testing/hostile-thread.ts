import type { ConfigMap } from '@tributary/connect-api'
import { defineErrors } from '@tributary/support'
import { threadId } from 'node:worker_threads'
import { TicksConnector, ticksPlugin } from '../../../testing/ticks-plugin.ts'
import { Plugins } from '../../../plugins/plugins.ts'
import { answerChecks } from '../answer-checks.ts'

/** A check thread whose connector does what `script` of its configuration names. */
const { GONE } = defineErrors({ GONE: { message: 'The clock {password} is gone.', action: '' } })

class HostileConnector extends TicksConnector {
  server(config: ConfigMap): string {
    return `the clock at ${config['ticks.password']}`
  }

  override async validate(_values: unknown, config: ConfigMap): Promise<Readonly<Record<string, readonly string[]>>> {
    const { script, 'ticks.password': password = '' } = config
    switch (script) {
      case 'reports its thread':
        return { 'ticks.thread': [String(threadId)] }
      case 'fills the heap': {
        const rows: string[] = []
        for (;;) rows.push(`${'x'.repeat(100)}${rows.length}`)
      }
      case 'computes forever':
        for (;;);
      case 'waits forever':
        return new Promise(() => undefined)
      case 'fails':
        throw GONE({ password })
      case 'throws beside the check':
        setImmediate(() => {
          throw new TypeError(`cannot log in with ${password}`)
        })
        return new Promise(() => undefined)
      case 'exits':
        process.exit(3)
      default:
        return {}
    }
  }

  warnings(config: ConfigMap): Promise<Readonly<Record<string, readonly string[]>>> {
    return Promise.resolve({ 'ticks.password': [`${config['ticks.password']} is weak`] })
  }
}

answerChecks(new Plugins([ticksPlugin(new HostileConnector())]))
