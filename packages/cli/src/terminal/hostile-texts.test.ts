/** Texts of a service, a file or the command line that would act on a terminal are shown, and do not act. */
import { runProgram, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandEnvironment, mainFile, runCli } from '../testing/cli-process.ts'
import { fakeService } from '../testing/fake-service.ts'

const HOSTILE = 'h\u001B]0;title\u0007\u001B[2J\u009B31m\u202Eevil\u2066\r\u0085'
/** By Unicode's own properties; line ends and tabs are the commands' own. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u
const visible = String.raw`h\u001b]0;title\u0007\u001b[2J\u009b31m\u202eevil\u2066`

/** JSON allows all but C0 controls as they are; this is how Kafka Connect writes them. */
const state = { state: HOSTILE, worker_id: HOSTILE, trace: `${HOSTILE}\n\tat ${HOSTILE}` }
const status = { name: HOSTILE, type: HOSTILE, connector: state, tasks: [{ id: HOSTILE, ...state }] }
const info = { name: HOSTILE, type: HOSTILE, tasks: [{}], config: { [HOSTILE]: HOSTILE, 'connector.class': HOSTILE } }

function answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const json = (code: number, document: unknown): void => {
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document))
  }
  if (url.includes('refused')) json(400, { error_code: 400, message: HOSTILE })
  else if (url.includes('foreign')) response.writeHead(200).end(HOSTILE)
  else if (url.includes('expand')) json(200, { [HOSTILE]: { info, status } })
  else if (url.includes('validate')) json(200, { warnings: [{ message: HOSTILE }] })
  else if (url.includes('/status')) json(200, status)
  else json(method === 'POST' ? 201 : 200, info)
}

test('no text of a service, a file or an argument reaches the terminal as a control', async () => {
  await using folder = temporaryFolder('hostile')
  await using service = await fakeService(answer)
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, JSON.stringify({ name: HOSTILE, config: { 'connector.class': HOSTILE, [HOSTILE]: HOSTILE } }))
  const ofService = ['list', `get ${HOSTILE}`, `status ${HOSTILE}`, `pause ${HOSTILE}`, `delete ${HOSTILE}`].map(
    (line) => line.split(/ (.*)/s).filter((word) => word !== ''),
  )
  const commands: readonly (readonly string[])[] = [
    ...[...ofService, ['get', 'refused'], ['get', 'foreign'], ['create', file], ['restart', HOSTILE]].map((words) => [
      'connectors',
      ...words,
      '--url',
      service.url,
    ]),
    ['check', file],
    ['check', '--json', file],
    ['check', join(folder.path, HOSTILE)],
    ['start', join(folder.path, HOSTILE)],
    ['watch', '--bootstrap-server', HOSTILE, 'topic'],
    ['watch', '--bootstrap-server', '127.0.0.1:1', '--timeout-ms', '200', HOSTILE],
    [HOSTILE],
    ['connectors', HOSTILE],
    ['connectors', 'list', `--${HOSTILE}`],
  ]
  for (const words of commands) {
    const { stdout, stderr } = await runCli(words)
    const output = stdout + stderr
    const title = `${JSON.stringify(words)}: ${JSON.stringify(output)}`
    assert.doesNotMatch(output.replaceAll(/[\n\t]/g, ''), UNSAFE, title)
    assert.ok(output.includes(visible) || output.includes(JSON.stringify(visible).slice(1, -1)), title)
  }
})

test('--json passes the bytes of the service to a program, and the same document without controls to a terminal', async () => {
  await using service = await fakeService(answer)
  const words = ['connectors', 'get', '--json', 'x', '--url', service.url]

  const piped = await runCli(words)
  assert.equal(piped.stdout, `${JSON.stringify(info)}\n`)

  const command = [process.execPath, mainFile, ...words].map((word) => `'${word}'`).join(' ')
  const env = commandEnvironment({ NO_COLOR: '1' })
  // `script` runs a command on a terminal of its own.
  const shown = await runProgram('script', ['-qec', command, '/dev/null'], { env })
  const text = shown.stdout.replaceAll('\r\n', '\n')
  assert.doesNotMatch(text.replaceAll('\n', ''), UNSAFE, JSON.stringify(text))
  assert.deepEqual(JSON.parse(text), info)
})
