import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from './logger.ts'
import { LogLevels, parseLogLevel } from './log-levels.ts'

test('levels have the names of log4j, in upper or lower case', () => {
  assert.deepEqual(['debug', 'OFF', 'Fatal', 'all', 'loud', '', 'toString'].map(parseLogLevel), [
    'DEBUG',
    'OFF',
    'FATAL',
    'ALL',
    null,
    null,
    null,
  ])
})

test('a name inherits the level of its nearest ancestor that has one', () => {
  const levels = new LogLevels('INFO')
  levels.know(['a.b.c', 'ab'])
  assert.deepEqual(levels.find('a.b.c'), { level: 'INFO', lastModifiedMs: null })
  assert.deepEqual(levels.set('a.b', 'DEBUG', 5), ['a.b', 'a.b.c'])
  assert.deepEqual(levels.find('a.b'), { level: 'DEBUG', lastModifiedMs: 5 })
  assert.equal(levels.isWritten('a.b.new', 'DEBUG'), true)
  assert.equal(levels.isWritten('ab', 'DEBUG'), false)
  assert.equal(levels.find('a.b.new'), null)
  assert.deepEqual(levels.names(), ['a.b', 'a.b.c', 'ab', 'root'])
})

test('setting a level again changes nothing; the level of root is set for all names', () => {
  const levels = new LogLevels('INFO')
  levels.set('a', 'DEBUG', 5)
  assert.deepEqual(levels.set('a', 'DEBUG', 6), [])
  assert.deepEqual(levels.find('a'), { level: 'DEBUG', lastModifiedMs: 5 })
  assert.deepEqual(levels.set('root', 'INFO', 7), ['a'])
  assert.deepEqual(levels.find('root'), { level: 'INFO', lastModifiedMs: null })
})

test('a change applies to existing loggers, in this thread and in another', () => {
  const [levels, elsewhere] = [new LogLevels('INFO'), new LogLevels('INFO')]
  const written: string[] = []
  const log = createLogger(elsewhere, (line) => written.push((JSON.parse(line) as { msg: string }).msg))
  const child = log.child({ logger: 'a.b' }).child({ connectorName: 'shop' })
  const stop = levels.listen(() => elsewhere.restore(levels.snapshot()))

  child.debug('too early')
  levels.set('a', 'DEBUG', 5)
  child.debug('now')
  log.debug('of root')
  levels.set('a', 'OFF', 6)
  child.error('too late')
  stop()
  levels.set('root', 'DEBUG', 7)
  log.debug('no listener')
  assert.deepEqual(written, ['now'])
})

test('log lines do not contain the name of the logger', () => {
  const written: string[] = []
  createLogger('info', (line) => written.push(line))
    .child({ logger: 'a.b', table: 't' })
    .info('text')
  assert.doesNotMatch(written.join(), /a\.b/)
  assert.match(written.join(), /"table":"t"/)
})
