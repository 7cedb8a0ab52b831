import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, silentLogger, type LogLevel } from './logger.ts'

interface Line {
  readonly level: string
  readonly time: number
  readonly msg: string
  readonly [field: string]: unknown
}

function collect(level: LogLevel): { log: ReturnType<typeof createLogger>; lines: () => Line[] } {
  const written: string[] = []
  const log = createLogger(level, (line) => written.push(line))
  return {
    log,
    lines: () =>
      written.map((line) => {
        assert.ok(line.endsWith('\n'))
        return JSON.parse(line) as Line
      }),
  }
}

test('a line is one JSON document with level, time, text and fields, written synchronously', () => {
  const { log, lines } = collect('info')
  log.info('Snapshot step 1 - Preparing', { tables: 3 })

  const [line] = lines()
  assert.equal(line?.level, 'info')
  assert.equal(line?.msg, 'Snapshot step 1 - Preparing')
  assert.equal(line?.['tables'], 3)
  assert.equal(typeof line?.time, 'number')
  assert.deepEqual(Object.keys(line ?? {}).toSorted(), ['level', 'msg', 'tables', 'time'])
})

test('lines below the level are not written', () => {
  const { log, lines } = collect('warn')
  log.debug('d')
  log.info('i')
  log.warn('w')
  log.error('e')

  assert.deepEqual(
    lines().map((line) => `${line.level} ${line.msg}`),
    ['warn w', 'error e'],
  )
})

test('a child adds its fields to every line, and its own child those of both', () => {
  const { log, lines } = collect('info')
  const child = log.child({ connectorName: 'inventory' })
  child.child({ connectorContext: 'snapshot' }).info('rows', { rows: 5 })
  child.info('done')
  log.info('outside')

  const [rows, done, outside] = lines()
  assert.equal(rows?.['connectorName'], 'inventory')
  assert.equal(rows?.['connectorContext'], 'snapshot')
  assert.equal(rows?.['rows'], 5)
  assert.equal(done?.['connectorContext'], undefined)
  assert.equal(outside?.['connectorName'], undefined)
})

test('an error is written with message, stack and cause', () => {
  const { log, lines } = collect('info')
  log.error('task failed', { error: new Error('outer', { cause: new Error('inner') }) })

  const error = lines()[0]?.['error'] as { type: string; message: string; stack: string }
  // docs/07-logs.md names these fields: programs read them.
  assert.deepEqual(Object.keys(error).toSorted(), ['message', 'stack', 'type'])
  assert.equal(error.type, 'Error')
  assert.match(error.message, /outer/)
  assert.match(error.stack, /logger\.test/)
  assert.match(error.stack, /inner/)
})

test('the silent logger writes nothing', () => {
  silentLogger.child({ a: 1 }).error('not written')
  const { log, lines } = collect('silent')
  log.error('not written either')

  assert.equal(lines().length, 0)
})
