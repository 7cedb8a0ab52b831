import type { ConfigMap } from '@tributary/connect-api'
import { temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { connectorWarnings, sharingWarnings } from './config-warnings.ts'
import { request, started } from './testing/herder-fixture.ts'

class WarningConnector extends TicksConnector {
  override conflicts(_config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Record<string, readonly string[]> {
    return { 'interval.ms': [...others.keys()] }
  }

  warnings(config: ConfigMap): Promise<Record<string, readonly string[]>> {
    return Promise.resolve({ 'ticks.password': [`${config['ticks.password']} is weak`] })
  }
}

const plugins = new Plugins([ticksPlugin(new WarningConnector())])

test('a connector is compared with the others whose plug-in exists', () => {
  const others = new Map([
    ['ticks', ticksConfig('ticks')],
    ['other', { 'connector.class': 'org.example.Gone' }],
  ])
  assert.deepEqual(sharingWarnings({ plugins }, ticksConfig('mine'), others), [
    { property: 'interval.ms', message: 'ticks' },
  ])
  assert.deepEqual(sharingWarnings({ plugins }, { 'connector.class': 'org.example.Gone' }, others), [])
})

test('shared settings are logged at a registration, a change and a patch', async () => {
  const { herder, logger } = await started()
  await herder.createConnector(request('a', { 'ticks.door': '7' }))
  const warnings = (): number => logger.matching('ticks.door=7 is also that of a').length
  assert.equal(warnings(), 0)
  await herder.createConnector(request('b', { 'ticks.door': '7' }))
  assert.equal(warnings(), 1)
  await herder.putConnectorConfig('b', ticksConfig('b', { 'ticks.door': '8' }))
  await herder.putConnectorConfig('b', ticksConfig('b', { 'ticks.door': '7' }))
  assert.equal(warnings(), 2)
  await herder.patchConnectorConfig('b', { extra: 'x' })
  assert.equal(warnings(), 3)
})

test('a warning shows the reference instead of its value', async () => {
  await using folder = temporaryFolder('warnings')
  const file = join(folder.path, 'secrets.properties')
  writeFileSync(file, 'password=hunter22\n')
  const workerProperties = {
    'config.providers': 'file',
    'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
  }
  const reference = `\${file:${file}:password}`
  const config = ticksConfig('mine', { 'ticks.password': reference })
  const found = await connectorWarnings(
    { plugins, workerProperties, hasStoredOffsets: false },
    config,
    new AbortController().signal,
  )
  assert.deepEqual(found, [{ property: 'ticks.password', message: `${reference} is weak` }])
})
