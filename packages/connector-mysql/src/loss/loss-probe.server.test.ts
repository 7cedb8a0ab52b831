import { startMariaDb } from '@tributary/testkit'
import { test } from 'node:test'
import { checkEarliest } from '../testing/probed-server.ts'

/** Seconds for which the server keeps a closed file. MySQL and the other rules: loss-rules.full.test.ts. */
const KEPT_SECONDS = 2

test('MariaDB purges the needed file at the predicted earliest moment, and then it is lost', async () => {
  await using server = await startMariaDb({ args: [`--binlog-expire-logs-seconds=${KEPT_SECONDS}`] })
  await checkEarliest(server, KEPT_SECONDS)
})
