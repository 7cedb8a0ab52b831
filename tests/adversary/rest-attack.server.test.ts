/**
 * A short form of attack-rest.ts: under every attack, another client is still answered, and memory is bounded.
 * There is no limit for the time: other tests use the processors.
 */
import { startService, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attack, costlyRequests, manyClients } from './rest/attacks.ts'
import { reactionTo } from './rest/under-attack.ts'

/**
 * The parser creates objects for each request of a chunk, also after the connection was closed: on a busy machine other
 * clients wait longer than their limit.
 */
const STARVING = '50 clients, pipelined requests'

/** A worker without connectors has 130 MB; it may hold 1,000 connections and 16 large bodies. */
const PEAK_MB_MAX = 600

/** What the first attacks leave in the heap must not count for the others, so each group has a worker of its own. */
const GROUPS: Readonly<Record<string, readonly Attack[]>> = {
  'requests that are costly': costlyRequests,
  'many clients': manyClients.filter(({ name }) => name !== STARVING),
}

for (const [group, attacks] of Object.entries(GROUPS)) {
  test(`an attack on the REST interface keeps no other client from being answered: ${group}`, async (t) => {
    const { bootstrapServers } = await useKafka()
    await using service = await startService({ bootstrapServers })
    for (const attack of attacks) {
      const { failures, answers, peakMb } = await reactionTo(service, attack, 1_500)
      t.diagnostic(`${attack.name}: ${answers} answers, ${failures} failures, ${peakMb} MB`)
      assert.ok(answers > 0)
      assert.equal(failures, 0, attack.name)
      assert.ok(peakMb < PEAK_MB_MAX, `${attack.name}: ${peakMb} MB`)
    }
    assert.equal((await service.rest('GET', '/health')).status, 200)
  })
}
