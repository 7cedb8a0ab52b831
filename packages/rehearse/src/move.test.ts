import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import { type MoveOptions, moveSteps } from './move.ts'

const HOSTILE = `it's $(touch made) "quoted"; rm ../é\u202E\n*`

const OPTIONS: MoveOptions = {
  connector: HOSTILE,
  from: { url: 'http://connect:8083/proxy', hasLogin: true },
  to: { url: 'http://here:8083', hasLogin: false },
  version: '4.3.1',
  added: { 'decimal.handling.mode': `it's` },
  secret: [],
  id: '1',
}

/**
 * In place of curl: writes its arguments and its input to files, and answers as both workers do in a move that succeeds.
 * A failure may be planted.
 */
const CURL = String.raw`#!/bin/sh
for last in "$@"; do :; done
case " $* " in *" -d @- "*) cat >> bodies; echo >> bodies;; esac
for each in "$@"; do printf '%s|' "$each" >> calls; done; echo >> calls
case "$FAILS" in "") ;; *) case "$*" in *$FAILS*) exit 22;; esac;; esac
case "$last" in
  */config) printf '{"a":"b"}';;
  */offsets) echo "$OFFSETS";;
  */status) case "$(cat calls)" in
    *"resume"*) echo '{"name":"x","connector":{"state":"RUNNING"},"tasks":[{"id":0,"state":"RUNNING"}]}';;
    *) echo '{"name":"x","connector":{"state":"STOPPED"},"tasks":[]}';; esac;;
esac
`

const STORED = '{"offsets":[{"partition":{"server":"x"},"offset":{"ts_sec":1,"file":"binlog.000003","pos":4711}}]}'

interface Ran {
  readonly code: number | null
  readonly stderr: string
  readonly calls: readonly string[]
  readonly bodies: readonly string[]
  readonly isInjected: boolean
}

/** Runs commands in a real shell, as they are printed. */
async function run(commands: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ran> {
  await using folder = temporaryFolder('move')
  const curl = join(folder.path, 'curl')
  writeFileSync(curl, CURL)
  chmodSync(curl, 0o755)
  const variables = Object.entries({ OFFSETS: STORED, FAILS: '', ...environment }).map(
    ([name, value]) => `export ${name}='${value}'`,
  )
  const path = `export PATH='${folder.path}':"$PATH"`
  const { status, stderr } = spawnSync('sh', ['-e'], {
    cwd: folder.path,
    input: `${[path, ...variables, ...commands].join('\n')}\n`,
    encoding: 'utf8',
  })
  const lines = (name: string): readonly string[] => {
    const file = join(folder.path, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  }
  const isInjected = existsSync(join(folder.path, 'made'))
  return { code: status, stderr, calls: lines('calls'), bodies: lines('bodies'), isInjected }
}

const commandsOf = (options: MoveOptions, way: 'move' | 'back'): readonly string[] =>
  moveSteps(options)[way].map(({ command }) => command)

test('a hostile name is no command: a shell passes it on as it is, and the document of the connector has it', async () => {
  for (const way of ['move', 'back'] as const) {
    const { code, stderr, calls, bodies, isInjected } = await run(commandsOf(OPTIONS, way), {})
    assert.equal(code, 0, stderr)
    assert.equal(isInjected, false)
    const paths = calls.map((call) => new URL(call.split('|').at(-2) ?? '').pathname)
    for (const path of paths.filter((each) => each !== '/connectors')) {
      assert.equal(decodeURIComponent(path.replace(/^\/proxy/, '').split('/')[2] ?? ''), HOSTILE)
    }
    for (const call of calls) assert.equal(call.includes('--netrc'), call.includes('//connect'), call)
    if (way === 'back') continue
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body) as unknown),
      [{ name: HOSTILE, initial_state: 'STOPPED', config: { a: 'b' } }, { 'decimal.handling.mode': `it's` }],
    )
    assert.match(calls.at(-1) ?? '', /-X\|PUT\|http:\/\/here:8083\/connectors\/\S+\/resume/)
  }
  for (const { command } of moveSteps(OPTIONS).move) assert.match(command, /^[ -~]+$/, 'a terminal shows it as it is')
})

test('without the offset, or after any failure, the connector is not started', async () => {
  const plants = [
    { OFFSETS: '{"offsets":[]}' },
    { OFFSETS: '' },
    ...['/config', ' -X POST ', '/stop', '/offsets', ' -X PATCH '].map((FAILS) => ({ FAILS })),
  ]
  for (const plant of plants) {
    const { code, calls } = await run(commandsOf(OPTIONS, 'move'), plant)
    assert.notEqual(code, 0, JSON.stringify(plant))
    assert.ok(
      calls.every((call) => !call.includes('/resume')),
      JSON.stringify(plant),
    )
  }
})

test('back: the connector is removed here only when it runs there', async () => {
  const { code, calls } = await run(commandsOf(OPTIONS, 'back'), { FAILS: '/resume' })
  assert.notEqual(code, 0)
  assert.ok(calls.every((call) => !call.includes('DELETE')))
  const whole = await run(commandsOf(OPTIONS, 'back'), {})
  assert.match(whole.calls.at(-2) ?? '', /\/status/)
  assert.match(whole.calls.at(-1) ?? '', /DELETE/)
})

test('releases before 3.6, and unknown addresses, have no commands but what to do instead', () => {
  const notes = (options: Partial<MoveOptions>): readonly (string | number)[] => {
    const { move, back, move_notes: texts } = moveSteps({ ...OPTIONS, ...options })
    return [move.length, back.length, ...texts]
  }
  for (const version of ['3.5.1', '2.8.0', '7.5.0-ccs', '6.2.1-ce']) {
    const [move, back, note] = notes({ version })
    assert.deepEqual([move, back], [0, 0], version)
    assert.match(String(note), /cannot change offsets \(3\.6 can\): update it, or move the whole group/)
  }
  assert.match(String(notes({ from: null })[2]), /rehearse with --from, or move the whole group/)
  for (const version of ['3.6.0', '4.3.1', '7.6.0-ccs', '8.0.0-ccs'])
    assert.ok(Number(notes({ version })[0]) > 0, version)
  assert.ok(notes({ version: null }).some((note) => /release of Kafka Connect is unknown/.test(String(note))))
})

test('what the rehearsal had with a secret is named, and not in a command', () => {
  const { move, move_notes: notes } = moveSteps({ ...OPTIONS, added: {}, secret: ['database.password'] })
  assert.ok(move.every(({ command }) => !command.includes('PATCH') || command.includes('/offsets')))
  assert.ok(notes.some((note) => note.startsWith('database.password of the rehearsal contains a secret')))
})
