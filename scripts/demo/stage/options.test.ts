import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, type DemoOptions } from './options.ts'

const standard: DemoOptions = { flavor: 'mysql', keep: false, database: null, broker: { tag: 'development' } }

test('the command line is parsed', () => {
  const cases: readonly (readonly [args: readonly string[], expected: Partial<DemoOptions>])[] = [
    [[], {}],
    [['--keep', '--mariadb'], { keep: true, flavor: 'mariadb' }],
    [['--kafka'], { broker: { tag: 'kafka' } }],
    [['--kafka', '--keep'], { broker: { tag: 'kafka' }, keep: true }],
    [['--kafka', 'broker:9092'], { broker: { tag: 'own', address: 'broker:9092' } }],
    [['--kafka=[::1]:9092'], { broker: { tag: 'own', address: '[::1]:9092' } }],
    [
      ['--mysql', 'mysql://ann:p%40ss%2Fword@db.example:3307'],
      { database: { host: 'db.example', port: 3307, user: 'ann', password: 'p@ss/word' } },
    ],
    [
      ['--mysql', 'mariadb://ann@[2001:db8::1]'],
      { database: { host: '2001:db8::1', port: 3306, user: 'ann', password: '' } },
    ],
  ]
  for (const [args, expected] of cases) assert.deepEqual(parseOptions(args), { ...standard, ...expected })
  assert.equal(parseOptions(['--keep', '--help']), 'help')
})

test('an invalid command line is refused without showing a password', () => {
  const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
    [['--fast'], /Unknown option '--fast'/],
    [['now'], /Unexpected argument 'now'/],
    [['--mysql'], /argument missing/],
    [['--mysql', 'ann:secret@db'], /--mysql expects mysql:/],
    [['--mysql', 'postgres://ann:secret@db'], /--mysql expects mysql:/],
    [['--mysql', 'mysql://db:3306'], /--mysql expects mysql:/],
    [['--kafka', 'broker'], /--kafka expects host:port, not broker/],
    [['--kafka', 'a:1,b:2'], /--kafka expects host:port/],
    [['--mariadb', '--mysql', 'mysql://ann:secret@db'], /use only one of them/],
  ]
  for (const [args, reason] of cases) {
    assert.throws(
      () => parseOptions(args),
      (error: Error) => {
        assert.match(error.message, reason)
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
    )
  }
})
