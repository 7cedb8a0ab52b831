import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import { Plugins } from '../plugins/plugins.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { LeftoverWatch } from './leftover-watch.ts'

/** A watch over connectors; `inUse`: names whose leftovers a task still uses. */
function watched(): {
  readonly configs: Map<string, { readonly config: ConfigMap }>
  readonly inUse: Set<string>
  readonly removed: string[]
  readonly clock: ReturnType<typeof fakeClock>
  readonly watch: LeftoverWatch
} {
  const configs = new Map<string, { readonly config: ConfigMap }>()
  const inUse = new Set<string>()
  const removed: string[] = []
  const clock = fakeClock()
  class Connector extends TicksConnector {
    removeLeftovers(config: ConfigMap): Promise<boolean> {
      const name = config['name'] ?? ''
      if (inUse.has(name)) return Promise.resolve(false)
      removed.push(name)
      return Promise.resolve(true)
    }
  }
  const plugins = new Plugins([ticksPlugin(new Connector())])
  for (const name of ['a', 'b']) configs.set(name, { config: ticksConfig(name) })
  const store = {
    get names() {
      return [...configs.keys()]
    },
    get: (name: string) => (configs.get(name) ?? null) as never,
  }
  const watch = new LeftoverWatch({ configs: store, plugins, workerProperties: {}, clock, logger: silentLogger })
  return { configs, inUse, removed, clock, watch }
}

test('what a deleted connector has left is removed after a minute, once no task uses it', async () => {
  const { configs, inUse, removed, clock, watch } = watched()
  await using _ = watch
  await clock.advance(2_000)
  configs.delete('a')
  inUse.add('a')
  await clock.advance(70_000)
  assert.deepEqual(removed, [])
  inUse.delete('a')
  await clock.advance(2_000)
  assert.deepEqual(removed, ['a'])
  await clock.advance(120_000)
  assert.deepEqual(removed, ['a'])
})

test('what a connector has left that is created again meanwhile remains', async () => {
  const { configs, removed, clock, watch } = watched()
  await using _ = watch
  await clock.advance(2_000)
  configs.delete('a')
  await clock.advance(30_000)
  configs.set('a', { config: ticksConfig('a') })
  await clock.advance(120_000)
  assert.deepEqual(removed, [])
})

test('a worker that stops within that minute removes it at once', async () => {
  const { configs, removed, clock, watch } = watched()
  await clock.advance(2_000)
  configs.delete('b')
  await watch[Symbol.asyncDispose]()
  await watch[Symbol.asyncDispose]()
  assert.deepEqual(removed, ['b'])
})
