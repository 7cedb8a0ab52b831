/**
 * Compares the model of random tables with the catalogue of a server, after each of random statements.
 *
 *     npm run --silent exec -- packages/connector-mysql/scripts/hunt-ddl.ts --flavor mysql --sequences 1000 --seed 1
 *
 * Prints each difference with its statements and its seed, which repeats it with `--sequences 1`, and the figures.
 * `--minutes 5` ends it earlier; a line with the figures so far appears every 500 sequences. Exit code 1: there is a
 * difference.
 */
import { systemClock } from '@tributary/support'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { parseArgs } from 'node:util'
import { runSequences } from '../src/testing/random-sequences.ts'

const { values } = parseArgs({
  options: {
    flavor: { type: 'string', default: 'mysql' },
    sequences: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const started = systemClock.now()
// Statements that define tables wait for the disk otherwise; nothing is to survive.
const args = ['--innodb-flush-method=nosync', '--innodb-doublewrite=0']
await using server = await (values.flavor === 'mariadb' ? startMariaDb : startMySql)({ rowMetadata: 'FULL', args })
const { failed, ...figures } = await runSequences(
  server,
  {
    seed: Number(values.seed),
    sequences: Number(values.sequences),
    deadline: started + Number(values.minutes) * 60_000,
  },
  ({ seed, statements, differences }) => {
    console.log(
      `seed ${seed}:\n  ${statements.join(';\n  ')};\n${differences.map((line) => `  -- ${line}\n`).join('')}`,
    )
  },
  ({ failed: found, ...soFar }) => {
    if (soFar.sequences % 500 === 0) console.log(JSON.stringify({ ...soFar, failed: found.length }))
  },
)
const seconds = Math.round((systemClock.now() - started) / 1000)
console.log(
  JSON.stringify({ server: server.version, seed: Number(values.seed), ...figures, failed: failed.length, seconds }),
)
process.exitCode = failed.length === 0 ? 0 : 1
