/** The golden script of signals and snapshots that they ask for. The server is for this file only. */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { signalCases } from './golden-cases.ts'
import { testCases } from './golden-suite.ts'

describe('snapshots by signals equal those of the reference, except for deliberate differences', () =>
  testCases(signalCases, { mysql: startMySql, mariadb: startMariaDb }))
