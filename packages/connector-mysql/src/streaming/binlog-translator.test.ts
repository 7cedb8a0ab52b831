import { type ChangeStage, PollScope, StageChain } from '@tributary/connector-kit'
import type { BinlogEvent } from '@tributary/mysql'
import { present, silentLogger, systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPosition } from '../offset/stream-position.ts'
import type { DdlHandler } from './ddl-handler.ts'
import type { PreparedTransactions } from './prepared/prepared-transactions.ts'
import { BinlogTranslator, type BinlogTranslatorOptions } from './binlog-translator.ts'

const GTIDS = 'f7c2e168-e599-11f1-bfcf-02fc00000001:1-7'

const gtid: BinlogEvent = {
  tag: 'gtid',
  source: 'f7c2e168-e599-11f1-bfcf-02fc00000001',
  number: 8,
  originalCommitMicros: null,
}

function query(sql: string): BinlogEvent {
  return { tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null }
}

/** A translator after `f.1:100`, whose stages note the changes; each event is 10 bytes long. */
class Subject {
  readonly seen: string[] = []
  readonly translator: BinlogTranslator
  failure: Error | null = null
  readonly #header = {
    file: 'f.1',
    position: 90,
    nextPosition: 100,
    order: 90,
    isInsidePayload: false,
    timestampSeconds: 5,
    serverId: 7,
    tableId: 0,
  }
  readonly #poll: PollScope

  constructor() {
    const note = (text: string): null => {
      if (this.failure !== null) throw this.failure
      this.seen.push(text)
      return null
    }
    const stage: ChangeStage = {
      begin: ({ transaction }) => note(`begin ${String(transaction)}`),
      end: () => note('end'),
    }
    const ddl: Pick<DdlHandler, 'handle'> = {
      handle: (_event, { position }) => {
        note('statement')
        return Promise.resolve({
          outcome: { statement: null, events: [], needsSchema: [], truncated: null, error: null },
          position,
        })
      },
    }
    const prepared: Pick<PreparedTransactions, 'onServer'> = { onServer: () => undefined }
    const options = { config: { failureHandling: 'fail', gtidSources: null }, ddl, prepared, logger: silentLogger }
    const start = present(StreamPosition.parse({ file: 'f.1', pos: 100, gtids: GTIDS }), 'a position')
    // Without rows, a translator needs nothing else.
    this.translator = new BinlogTranslator(options as unknown as BinlogTranslatorOptions, this.#header, start)
    this.#poll = new PollScope({
      stages: new StageChain([stage]),
      clock: systemClock,
      signal: new AbortController().signal,
    })
  }

  async handle(...events: readonly BinlogEvent[]): Promise<void> {
    for (const event of events) {
      this.#header.position += 10
      this.#header.nextPosition += 10
      await this.translator.handle(event, this.#poll)
    }
  }

  /** Restart point, number of the last executed transaction, events that are done. */
  get place(): string {
    const { file, position, gtids, event } = this.translator.position
    return `${file}:${position} ${gtids?.split('-').at(-1)} ${event}`
  }
}

test('begin and end enclose a transaction, and the position moves with each event', async () => {
  const subject = new Subject()
  await subject.handle(gtid, query('BEGIN'), { tag: 'statement', sql: 'INSERT …' })
  assert.deepEqual(subject.seen, ['begin f7c2e168-e599-11f1-bfcf-02fc00000001:8'])
  assert.equal(subject.place, 'f.1:110 7 2')

  await subject.handle({ tag: 'xid' })

  assert.deepEqual(subject.seen.slice(1), ['end'])
  assert.equal(subject.place, 'f.1:140 8 0')
})

test('a statement outside a transaction is one by itself', async () => {
  const subject = new Subject()
  await subject.handle(gtid, query('CREATE TABLE t (id INT)'))

  assert.deepEqual(subject.seen, ['statement'])
  assert.equal(subject.place, 'f.1:120 8 0')
})

test('a compound statement of MariaDB outside a transaction does not begin one', async () => {
  const subject = new Subject()
  await subject.handle(gtid, query('BEGIN NOT ATOMIC SELECT 1; END'))

  assert.deepEqual(subject.seen, ['statement'])
  assert.equal(subject.place, 'f.1:120 8 0')
})

test('savepoints and rollbacks to them do not end a transaction', async () => {
  const subject = new Subject()
  await subject.handle(gtid, query('BEGIN'), query('SAVEPOINT `s`'), query('ROLLBACK WORK TO `s`'))
  assert.deepEqual(subject.seen.length, 1)
  assert.equal(subject.place, 'f.1:110 7 3')

  await subject.handle(query('COMMIT'))

  assert.deepEqual(subject.seen.slice(1), ['end'])
  assert.equal(subject.place, 'f.1:150 8 0')
})

test('an event whose handling throws is not done: the position stays before it', async () => {
  const subject = new Subject()
  subject.failure = new Error('no')
  await assert.rejects(subject.handle(gtid, query('BEGIN')), { message: 'no' })
  assert.equal(subject.place, 'f.1:110 7 0')
  subject.failure = null
  await subject.handle(query('BEGIN'))
  const before = subject.place
  subject.failure = new Error('no')

  await assert.rejects(subject.handle({ tag: 'xid' }), { message: 'no' })
  assert.equal(subject.place, before)
  await assert.rejects(subject.handle(query('CREATE TABLE t (id INT)')), { message: 'no' })
  assert.equal(subject.place, before)
})
