import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConnectorNumbers } from '@tributary/connector-kit'
import { isRecoverable, present } from '@tributary/support'
import { captureLogger, eventually, fakeClock, temporaryFolder } from '@tributary/testkit'
import { parseConfig } from './config/connector-definition.ts'
import { mysqlKind } from './connector-kind.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { openSpool } from './open-spool.ts'
import { CREATED, MadeBinlog, type MadeDump } from './testing/made-binlog.ts'
import { DumpTurn } from './streaming/spool/dump-turn.ts'
import type { TaskSettings } from './task-settings.ts'

const clock = fakeClock()
const logger = captureLogger()
const delivery = { pending: 0, completed: 0, isCommitFailing: false }

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
      logger,
      clock,
      storedOffset: () => null,
      delivered: () => ({ ...delivery }),
    },
    loggedWarnings: new Set(),
    numbers: new ConnectorNumbers(),
  }
}

test('a folder that cannot be used does not keep a connector from its work, and is used when it can be', async () => {
  await using root = temporaryFolder('spool')
  const path = join(root.path, 'mounted later')
  writeFileSync(path, '')
  const settings = settingsOf(path)
  const stop = new AbortController()
  await using spool = present(await openSpool(settings, 'mysql', stop.signal), 'a spool')
  const position = present(StreamPosition.parse(OFFSET), 'a position')
  const requested: StreamPosition[] = []
  const begin = (stored: StreamPosition): Promise<MadeDump> => {
    requested.push(stored)
    return Promise.resolve(new MadeBinlog().dump(4))
  }
  spool.start({ begin, continue: () => Promise.reject(new Error('not continued')), turn: new DumpTurn() })
  assert.match(present(logger.matching('runs without its spool')[0], 'a line').message, /ENOTDIR/)
  spool.onStored(position)
  assert.deepEqual(await spool.choose(position), { tag: 'connection' })
  // The files may have events that the server has purged: then an unusable folder is an error.
  await assert.rejects(spool.has(position, 'server a'), { code: 'SPOOL_UNUSABLE' })
  await assert.rejects(spool.afterPurged(position, 'server a'), (error: Error) => isRecoverable(error))
  await clock.advance(60_000)
  await assert.rejects(spool.has(position, 'server a'), { code: 'SPOOL_UNUSABLE' })
  rmSync(path)
  await clock.advance(60_000)
  await eventually('the folder is used', () => existsSync(join(path, 'shop', 'lock')))
  await eventually('the spool is there', async () => !(await spool.has(position, 'server a').catch(() => true)))
  // In an outage the task reads the binlog into the folder, from the offset that it has stored meanwhile.
  delivery.pending = 1
  await clock.advance(10_000)
  await eventually('the dump is requested', () => requested.length === 1)
  assert.equal(requested[0]?.serverIdentity, 'server a')
})

const OFFSET = { file: 'binlog.000001', pos: 4, gtids: null, server_identity: 'server a', file_created: CREATED }
