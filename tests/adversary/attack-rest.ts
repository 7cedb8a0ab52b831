/**
 * Attacks the REST interface of a worker, and prints how it answers others meanwhile.
 *
 *     npm run --silent exec -- tests/adversary/attack-rest.ts                          this checkout
 *     npm run --silent exec -- tests/adversary/attack-rest.ts --entry FILE             another one: its packages/cli/src/main.ts
 *     npm run --silent exec -- tests/adversary/attack-rest.ts --only WORD --seconds 20
 */
import { parseArgs } from 'node:util'
import { startKafka, startService } from '@tributary/testkit'
import { attacks } from './rest/attacks.ts'
import { reactionTo } from './rest/under-attack.ts'

const { values } = parseArgs({
  options: { entry: { type: 'string' }, only: { type: 'string' }, seconds: { type: 'string', default: '8' } },
})
const { entry, only = '' } = values

await using kafka = await startKafka()
console.log('| attack | GET /connectors, p50 | p99 | max, ms | failed | peak, MB | the attacker got |')
console.log('|---|---|---|---|---|---|---|')
for (const attack of attacks.filter(({ name }) => name.includes(only))) {
  // A worker of its own for each: what one attack leaves behind must not count for the next.
  await using service = await startService({
    bootstrapServers: kafka.bootstrapServers,
    ...(entry === undefined ? {} : { entry }),
  })
  const { p50, p99, max, failures, answers, peakMb, outcomes } = await reactionTo(
    service,
    attack,
    Number(values.seconds) * 1000,
  )
  const got = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
  console.log(`| ${attack.name} | ${p50} | ${p99} | ${max} | ${failures} of ${answers} | ${peakMb} | ${got} |`)
}
