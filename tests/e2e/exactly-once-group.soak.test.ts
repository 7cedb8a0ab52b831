/**
 * Three workers share three connectors, one for each boundary, and are killed (SIGKILL) two hundred times at random
 * moments over a million rows; besides they are frozen beyond their session (SIGSTOP, SIGCONT) and stopped (SIGTERM),
 * several of them at once as well. The tasks move between the workers all the time. A consumer of committed records,
 * Tributary's own reader and Kafka's console consumer, must see each row once and in order.
 *
 *     KILL_SEED=7 KILLS=200 ROWS=1000000 npm run test:soak -- exactly-once-group
 */
import { test } from 'node:test'
import { surviveFaults } from './exactly-once/survive-faults.ts'

const KILLS = Number(process.env['KILLS'] ?? 200)
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)

test(`${KILLS} kills of workers of a group at random moments over ${ROWS} events`, (t) =>
  surviveFaults(t, { kills: KILLS, rows: ROWS }))
