/** The spool on real servers: crashes, purges, resets, changed offsets. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testSpool } from '../../testing/spooled-task.ts'

testSpool('MySQL with GTIDs', {
  start: () => startMySql({ gtid: true }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  patches: [({ gtids }) => ({ gtids: String(gtids).replace(/:1-\d+$/, ':1') }), () => ({ file_created: null })],
})

testSpool('MySQL without GTIDs', {
  start: () => startMySql({ gtid: false }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  patches: [() => ({ pos: 4 }), () => ({ file_created: null })],
})

testSpool('MariaDB', {
  start: () => startMariaDb({ args: ['--server-id=77'] }),
  reset: 'RESET MASTER',
  patches: [() => ({ file_created: null }), () => ({ ts_sec: 1 })],
})
