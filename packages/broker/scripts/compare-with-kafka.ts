/**
 * Sends random sequences of requests to Kafka and to the development broker and compares their answers, for hours if
 * asked to. Each sequence with a difference is repeated alone: a difference that does not recur is a matter of timing.
 *
 *     npm run --silent exec -- packages/broker/scripts/compare-with-kafka.ts [FIRST_SEED [SEQUENCES [AT_ONCE [STEPS]]]]
 *
 * The exit code is 1 if a difference recurs.
 */
import { startKafka } from '@tributary/testkit'
import { recurringDifferences } from '../src/testing/recurring-differences.ts'

const REPORT_EVERY = 500
const [seed = 1, sequences = 1000, atOnce = 16, steps = 40] = process.argv.slice(2).map(Number)

// Deleted topics free their files soon: a long run would fill the disk.
const files = { 'log.segment.delete.delay.ms': '1000', 'log.index.size.max.bytes': '4096' }
// As by default. With one partition, Kafka takes offsets of a group in a transaction that was begun for another group.
const config = { ...files, 'offsets.topic.num.partitions': '50' }
await using kafka = await startKafka({ profile: 'bench', config })
const startedMs = performance.now()
let [sequencesDone, stepsDone] = [0, 0]

const report = (): void => {
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`${sequencesDone} sequences, ${stepsDone} steps, ${seconds} s`)
}

const { differing, recurring } = await recurringDifferences({
  seed,
  sequences,
  steps,
  atOnce,
  kafka: kafka.bootstrapServers[0] ?? '',
  onSequence: (count) => {
    stepsDone += count
    if (++sequencesDone % REPORT_EVERY === 0) report()
  },
})
report()
for (const { text } of differing) console.log(text)
const seeds = recurring.map((each) => each.seed).join(', ')
console.log(`${differing.length} sequences differed beside others; of them also alone: ${seeds || 'none'}`)
process.exitCode = recurring.length > 0 ? 1 : 0
