import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConnectorNumbers } from '@tributary/connector-kit'
import { isRecoverable, silentLogger } from '@tributary/support'
import { fakeClock, temporaryFolder } from '@tributary/testkit'
import { parseConfig } from './config/connector-definition.ts'
import { mysqlKind } from './connector-kind.ts'
import { openSpool } from './open-spool.ts'
import type { TaskSettings } from './task-settings.ts'

function settingsOf(folder: string): TaskSettings {
  const config = {
    'database.hostname': '127.0.0.1',
    'database.user': 'debezium',
    'database.password': 'dbz',
    'database.server.id': '5400',
    'topic.prefix': 'shop',
    'schema.history.internal.kafka.bootstrap.servers': '127.0.0.1:1',
    'schema.history.internal.kafka.topic': 'history',
    'binlog.spool.dir': folder,
  }
  return {
    kind: mysqlKind,
    config: parseConfig(mysqlKind, config),
    context: {
      config,
      workerDefaults: {},
      connectorName: 'shop',
      taskNumber: 0,
      logger: silentLogger,
      clock: fakeClock(),
      storedOffset: () => null,
      delivered: () => ({ pending: 0, completed: 0, isCommitFailing: false }),
    },
    loggedWarnings: new Set(),
    numbers: new ConnectorNumbers(),
  }
}

test('a folder that cannot be used is an error from which the task recovers when it is corrected', async () => {
  await using root = temporaryFolder('spool')
  const path = join(root.path, 'mounted later')
  writeFileSync(path, '')
  const settings = settingsOf(path)
  await assert.rejects(openSpool(settings, 'mysql'), (error: Error) => {
    assert.match(error.message, /shop for the spool of the binlog/)
    return isRecoverable(error)
  })
  rmSync(path)
  await using spool = await openSpool(settings, 'mysql')
  assert.ok(spool !== null)
})
