/**
 * Sends random sequences of requests to Kafka and to the development broker and compares their answers, for hours if
 * asked to. Each sequence with a difference is repeated alone: a difference that does not recur is a matter of timing.
 *
 *     npm run --silent exec -- packages/broker/scripts/compare-with-kafka.ts [FIRST_SEED [SEQUENCES [AT_ONCE [STEPS]]]]
 *
 * The exit code is 1 if a difference recurs.
 */
import { startKafka } from '@tributary/testkit'
import { compareBrokers, type Difference } from '../src/testing/compare-brokers.ts'

const REPORT_EVERY = 500
const [seed = 1, sequences = 1000, atOnce = 16, steps = 40] = process.argv.slice(2).map(Number)

// Deleted topics free their files soon: a long run would fill the disk.
const config = { 'log.segment.delete.delay.ms': '1000', 'log.index.size.max.bytes': '4096' }
await using kafka = await startKafka({ profile: 'bench', config })
const [server = ''] = kafka.bootstrapServers
const startedMs = performance.now()
const differences: Difference[] = []
let [sequencesDone, stepsDone] = [0, 0]

const report = (): void => {
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`${sequencesDone} sequences, ${stepsDone} steps, ${differences.length} differences, ${seconds} s`)
}

await compareBrokers({
  seed,
  sequences,
  steps,
  atOnce,
  kafka: server,
  onDifference: (difference) => {
    differences.push(difference)
    console.log(difference.text)
  },
  onSequence: (count) => {
    stepsDone += count
    if (++sequencesDone % REPORT_EVERY === 0) report()
  },
})
report()

for (const { seed: differing } of differences) {
  const repeated: string[] = []
  const onDifference = ({ text }: Difference): void => void repeated.push(text)
  await compareBrokers({ seed: differing, sequences: 1, steps, kafka: server, onDifference })
  console.log(`seed ${differing} ${repeated.length > 0 ? 'differs' : 'does not differ'} again`)
  if (repeated.length > 0) process.exitCode = 1
}
