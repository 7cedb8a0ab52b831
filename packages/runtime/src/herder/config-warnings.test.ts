import type { ConfigMap } from '@tributary/connect-api'
import { temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { connectorWarnings, sharingWarnings } from './config-warnings.ts'

class WarningConnector extends TicksConnector {
  conflicts(_config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Record<string, readonly string[]> {
    return { 'interval.ms': [...others.keys()] }
  }

  warnings(config: ConfigMap): Promise<Record<string, readonly string[]>> {
    return Promise.resolve({ 'ticks.password': [`${config['ticks.password']} is weak`] })
  }
}

const plugins = new Plugins([ticksPlugin(new WarningConnector())])

test('a connector is asked about the others of which there is a plug-in', () => {
  const others = new Map([
    ['ticks', ticksConfig('ticks')],
    ['other', { 'connector.class': 'org.example.Gone' }],
  ])
  assert.deepEqual(sharingWarnings({ plugins }, ticksConfig('mine'), others), [
    { property: 'interval.ms', message: 'ticks' },
  ])
  assert.deepEqual(sharingWarnings({ plugins }, { 'connector.class': 'org.example.Gone' }, others), [])
})

test('a warning shows the reference that stands for a value', async () => {
  await using folder = temporaryFolder('warnings')
  const file = join(folder.path, 'secrets.properties')
  writeFileSync(file, 'password=hunter22\n')
  const workerProperties = {
    'config.providers': 'file',
    'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
  }
  const reference = `\${file:${file}:password}`
  const config = ticksConfig('mine', { 'ticks.password': reference })
  const found = await connectorWarnings({ plugins, workerProperties }, config, new AbortController().signal)
  assert.deepEqual(found, [{ property: 'ticks.password', message: `${reference} is weak` }])
})
