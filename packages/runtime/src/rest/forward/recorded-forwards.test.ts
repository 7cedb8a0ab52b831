import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { sendRaw } from '../testing/raw-http.ts'
import { startFollower } from './testing/follower.ts'

/** Two workers of Kafka Connect 4.3.1: what a client sent to one, what it sent to the other, and both answers. */
interface RecordedForward {
  readonly client: { readonly method: string; readonly target: string; readonly body: string }
  readonly forwarded: string
  readonly response: string
  readonly answer: { readonly status: number; readonly body: string; readonly location?: string }
}

const file = new URL('../fixtures/forwarded.json', import.meta.url)
const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedForward[]

for (const { client, forwarded, response, answer } of recorded) {
  const name = `${client.method} ${client.target} ${answer.status}`
  test(`forwards as Kafka Connect, and answers the client as Kafka Connect: ${name}`, async () => {
    await using leader = await startScript(response)
    await using follower = await startFollower({ tag: 'not leader', leaderUrl: `http://127.0.0.1:${leader.port}/` })
    const headers = { Authorization: 'Basic <caller credentials>', 'X-Other': 'not passed on' }
    const hasBody = client.body !== ''
    const got = await sendRaw(follower.server.port, {
      method: client.method,
      target: client.target,
      headers: hasBody ? { ...headers, 'Content-Type': 'application/json' } : headers,
      body: Buffer.from(client.body),
    })
    assert.equal(got.status, answer.status)
    assert.equal(got.body, answer.body)
    const location = got.headers.get('location')
    assert.equal(location === undefined ? undefined : new URL(location).pathname, answer.location)
    const [sent, expected] = [requestOf(leader.received()), requestOf(forwarded)]
    assert.equal(sent.line, expected.line)
    for (const header of ['accept', 'authorization', 'content-type'])
      assert.equal(sent.headers.get(header), expected.headers.get(header), header)
    assert.equal(sent.headers.has('x-other'), false)
    if (hasBody) assert.deepEqual(JSON.parse(sent.body), JSON.parse(client.body))
  })
}

interface ParsedRequest {
  readonly line: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

function requestOf(text: string): ParsedRequest {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map((each) => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()] as const
  })
  return { line, headers: new Map(headers), body: text.slice(end + 4) }
}

interface Script extends AsyncDisposable {
  readonly port: number
  received(): string
}

/** A leader that answers each request with the same bytes. */
async function startScript(response: string): Promise<Script> {
  let received = ''
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      text += bytes.toString()
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      const end = text.indexOf('\r\n\r\n')
      if (end < 0 || Buffer.byteLength(text.slice(end + 4)) < length) return
      received = text
      socket.end(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    port: address.port,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
