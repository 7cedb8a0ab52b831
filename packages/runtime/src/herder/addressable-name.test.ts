import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { HerderError } from './herder-error.ts'
import { request, started } from './testing/herder-fixture.ts'

const UNADDRESSABLE = ['a/b', String.raw`a\b`, '50%', '.', '..', 'x'.repeat(256), 'x'.repeat(1_000_000)]

test('a new connector needs a name that requests can address, by POST and by PUT', async () => {
  const { herder } = await started()
  for (const name of UNADDRESSABLE) {
    for (const create of [
      () => herder.createConnector(request(name)),
      () => herder.putConnectorConfig(name, ticksConfig(name)),
    ]) {
      await assert.rejects(create, (error) => {
        assert.ok(error instanceof HerderError && error.problem.tag === 'invalid configuration')
        const [text = ''] = error.problem.errors
        assert.match(text, /^Invalid value .* for configuration name: A connector name /)
        assert.ok(text.length < 300)
        return true
      })
    }
  }
})

test('other unusual names are allowed', async () => {
  const { herder } = await started()
  for (const name of ['x'.repeat(255), 'a b', 'ä€😀', 'a;b', 'a?b#c', '...', 'a.b']) {
    assert.equal((await herder.createConnector(request(name))).name, name)
  }
})
