import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createSecretKey } from 'node:crypto'
import { fakeClock, freePort } from '@tributary/testkit'
import { HerderError, type HerderProblem } from '../../herder/herder-error.ts'
import type { RestAnswer } from '../rest-answer.ts'
import { startFollower } from './testing/follower.ts'

const json = { 'Content-Type': 'application/json' }
const conflict = 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)'
const noLeader =
  'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.'

interface Answer {
  readonly status: number
  readonly message: string
  readonly retryAfter: string | null
}

async function put(url: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { method: 'PUT', ...init })
  const text = await answer.text()
  const message = text === '' ? '' : (JSON.parse(text) as { readonly message: string }).message
  return { status: answer.status, message, retryAfter: answer.headers.get('retry-after') }
}

test('a follower forwards to the leader, which executes; then the follower has read the change', async () => {
  await using leader = await startFollower(null)
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: `${leader.server.url}/` })
  assert.equal((await put(follower.server.url, '/connectors/a%20b/stop')).status, 204)
  assert.deepEqual(leader.herder.recorded, ['stop a b'])
  assert.deepEqual(follower.herder.recorded, ['catch up'])
})

test('the leader forwards to the owner: two hops', async () => {
  await using owner = await startFollower(null)
  await using leader = await startFollower({ tag: 'not owner', ownerUrl: owner.server.url })
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: leader.server.url })
  const answer = await fetch(`${follower.server.url}/connectors/a/restart`, { method: 'POST' })
  assert.equal(answer.status, 204)
  assert.deepEqual(owner.herder.recorded, ['restart a'])
})

test('a signal is run by the worker that has the task, and its answer is that one', async () => {
  await using owner = await startFollower(null)
  await using other = await startFollower({ tag: 'not owner', ownerUrl: owner.server.url })
  const answer = await fetch(`${other.server.url}/connectors/a/signals`, {
    method: 'POST',
    headers: json,
    body: '{"id":"copy-1","type":"pause-snapshot"}',
  })
  assert.equal(answer.status, 202)
  assert.deepEqual(await answer.json(), { id: 'copy-1', type: 'pause-snapshot', is_repeated: false })
  assert.deepEqual(owner.herder.recorded, ['signal copy-1 to a'])
})

test('workers that name each other answer 409 after two hops', async () => {
  const port = await freePort()
  await using a = await startFollower({ tag: 'not leader', leaderUrl: `http://127.0.0.1:${port}/` })
  await using b = await startFollower({ tag: 'not leader', leaderUrl: a.server.url }, { port })
  assert.equal(b.server.port, port)
  assert.deepEqual(await put(a.server.url, '/connectors/a/stop'), { status: 409, message: conflict, retryAfter: '1' })
})

test('a request that may not be forwarded gets 409 from a follower', async () => {
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: 'http://127.0.0.1:1/' })
  const answer = await put(follower.server.url, '/connectors/a/stop?forward=false')
  assert.deepEqual(answer, { status: 409, message: conflict, retryAfter: '1' })
})

test('reads are answered by each worker', async () => {
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: null })
  for (const path of ['/connectors', '/connectors?expand=status', '/', '/health', '/admin/loggers'])
    assert.equal((await fetch(follower.server.url + path)).status, 200, path)
})

test('without a known leader, a request waits, and is executed when there is one', async () => {
  const clock = fakeClock()
  await using leader = await startFollower(null)
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: null }, { clock })
  const answer = put(follower.server.url, '/connectors/a/stop')
  // The time limit of the request, and the pause before the next attempt.
  await clock.untilPending(2)
  follower.herder.otherWorker = { tag: 'not leader', leaderUrl: leader.server.url }
  await clock.advance(250)
  assert.equal((await answer).status, 204)
})

test('without a leader for five seconds, the answer is 409 with Retry-After', async () => {
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: null })
  const answer = await put(follower.server.url, '/connectors/a/stop?forward=true')
  assert.deepEqual(answer, { status: 409, message: noLeader, retryAfter: '1' })
})

test('a rebalance that takes too long, and a stale configuration, are 409 with Retry-After', async () => {
  await using follower = await startFollower({ tag: 'rebalancing' })
  const rebalancing = await put(follower.server.url, '/connectors/a/stop')
  assert.deepEqual(rebalancing, { status: 409, message: conflict, retryAfter: '1' })
  follower.herder.otherWorker = { tag: 'stale configuration' }
  const stale = await put(follower.server.url, '/connectors/a/stop')
  assert.match(stale.message, /^Cannot complete request momentarily due to stale configuration/)
})

test('a leader that cannot be reached is an error of forwarding, and nothing has been changed', async () => {
  const leaderUrl = `http://127.0.0.1:${await freePort()}/`
  await using follower = await startFollower({ tag: 'not leader', leaderUrl })
  // A worker's own request is not repeated; a client's is, for five seconds.
  const answer = await put(follower.server.url, '/connectors/a/stop?forward=true')
  assert.match(answer.message, /^IO Error trying to forward REST request: .*ECONNREFUSED.*127\.0\.0\.1/)
  assert.deepEqual([answer.status, answer.retryAfter], [500, '1'])
})

const badAnswers = [
  [
    'an answer that ends early',
    200,
    '{"name":"a"',
    /IO Error trying to forward REST request: it answered with status 200/,
  ],
  [
    'a page instead of an error document',
    401,
    'User cannot access the resource.',
    /IO Error .*status 401 .*User cannot/,
  ],
  ['a document of another kind', 500, '{"error":"x"}', /IO Error .*status 500 .*not an error document/],
  ['a redirect', 302, '', /^Unexpected status code when handling forwarded request: 302$/],
  ['an error without a message', 500, '{"error_code":500,"message":null}', /^$/],
] as const

for (const [name, status, body, message] of badAnswers) {
  test(`what a leader answers is not passed on unread: ${name}`, async () => {
    await using leader = await startLeader((answer) => answer.writeHead(status).end(body))
    await using follower = await startFollower({ tag: 'not leader', leaderUrl: leader.url })
    const answer = await put(follower.server.url, '/connectors/a/stop')
    assert.equal(answer.status, 500)
    assert.match(answer.message, message)
    assert.equal(answer.retryAfter, null)
  })
}

test('an answer without end is cut off, and one that never comes is given up', async () => {
  await using endless = await startLeader((answer) => {
    answer.writeHead(200)
    const more = (): void => {
      while (!answer.destroyed && answer.write(Buffer.alloc(65_536)));
    }
    answer.on('drain', more)
    more()
  })
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: endless.url })
  const cut = await put(follower.server.url, '/connectors/a/stop')
  assert.match(cut.message, /its answer is larger than 8 MiB/)
  await using silent = await startLeader(() => undefined)
  await using impatient = await startFollower({ tag: 'not leader', leaderUrl: silent.url }, { timeoutMs: 100 })
  const late = await put(impatient.server.url, '/connectors/a/stop')
  assert.match(late.message, /no complete answer within 0\.1 s/)
  assert.deepEqual([late.status, late.retryAfter], [500, null])
})

test('a read is answered by the worker that knows most, and here when that one cannot be asked', async () => {
  const clock = fakeClock()
  await using runner = await startLeader((answer) => answer.writeHead(200, json).end(`{"path":"${answer.req.url}"}`))
  await using failing = await startLeader((answer) =>
    answer.writeHead(500, json).end('{"error_code":500,"message":"x"}'),
  )
  await using silent = await startLeader(() => undefined)
  await using follower = await startFollower(null, { clock })
  const read = (problem: HerderProblem | null, query = ''): Promise<RestAnswer> | RestAnswer =>
    follower.forwarder.wrapRead(
      '/connectors/{connector}/tables',
      () => {
        if (problem !== null) throw new HerderError(problem)
      },
      (_request, unanswered) => ({ status: 200, document: unanswered === null ? 'here' : `without ${unanswered}` }),
    )({
      parameters: { connector: 'a b' },
      query: new URLSearchParams(query),
      headers: {},
      body: Buffer.alloc(0),
      role: 'full',
    })

  const there = await read({ tag: 'not leader', leaderUrl: runner.url })
  assert.equal(there.content?.bytes.toString(), '{"path":"/connectors/a%20b/tables?forward=true"}')
  const furtherOn = await read({ tag: 'not owner', ownerUrl: runner.url }, 'forward=true')
  assert.equal(furtherOn.content?.bytes.toString(), '{"path":"/connectors/a%20b/tables?forward=false"}')
  const here = { status: 200, document: 'here' }
  assert.deepEqual(await read(null), here)
  assert.deepEqual(await read({ tag: 'not owner', ownerUrl: runner.url }, 'forward=false'), here)
  assert.deepEqual(await read({ tag: 'not owner', ownerUrl: null }), here)
  const without = (url: string): RestAnswer => ({ status: 200, document: `without ${url}` })
  assert.deepEqual(await read({ tag: 'not owner', ownerUrl: failing.url }), without(failing.url))
  const nobody = `http://127.0.0.1:${await freePort()}/`
  assert.deepEqual(await read({ tag: 'not owner', ownerUrl: nobody }), without(nobody))
  const late = read({ tag: 'not owner', ownerUrl: silent.url })
  await clock.untilPending(1)
  await clock.advance(2_000)
  assert.deepEqual(await late, without(silent.url))
  await assert.rejects(async () => read({ tag: 'worker stopping' }), HerderError)
})

async function startLeader(
  answer: (response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const sessionKey = { key: createSecretKey(Buffer.alloc(32, 7)), algorithm: 'HmacSHA256', createdMs: 0 }

test('a request of a worker is signed again when it is forwarded', async () => {
  await using leader = await startFollower(null)
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: leader.server.url })
  leader.herder.sessionKey = sessionKey
  follower.herder.sessionKey = sessionKey
  const body = '[{"a":"b"}]'
  const headers = { ...json, ...follower.herder.sign(Buffer.from(body)) }
  const answer = await fetch(`${follower.server.url}/connectors/c/tasks`, { method: 'POST', headers, body })
  assert.equal(answer.status, 204)
  assert.deepEqual(leader.herder.recorded, ['tasks of c: [{"a":"b"}]'])
  assert.equal(
    (await put(follower.server.url, '/connectors/c/fence', { headers: follower.herder.sign(Buffer.alloc(0)) })).status,
    204,
  )
  assert.equal(leader.herder.recorded.at(-1), 'fence c')
})

test('nothing else is signed, whatever its headers are', async () => {
  let headers: IncomingHttpHeaders = {}
  await using leader = await startLeader((answer) => {
    headers = answer.req.headers
    answer.writeHead(204).end()
  })
  await using follower = await startFollower({ tag: 'not leader', leaderUrl: leader.url })
  follower.herder.sessionKey = sessionKey
  const given = follower.herder.sign(Buffer.alloc(0))
  assert.equal((await put(follower.server.url, '/connectors/c/stop', { headers: given })).status, 204)
  assert.equal(headers['x-connect-authorization'], undefined)
})

const refusals = [
  ['no signature', {}, 400, 'Internal request missing required signature'],
  ['half a signature', { 'X-Connect-Authorization': 'YWJj' }, 400, 'Internal request missing required signature'],
  ['an unknown algorithm', signed('YWJj', 'foo'), 400, 'Algorithm foo not available'],
  ['bad base64', signed('a-b', 'HmacSHA256'), 400, 'Illegal base64 character 2d'],
  [
    'an algorithm that is not allowed',
    signed('YWJj', 'HmacSHA512'),
    400,
    "This worker does not support the 'HmacSHA512' key signing algorithm used by other workers. This worker is currently configured to use: [HmacSHA256]. Check that all workers' configuration files permit the same set of signature algorithms, and correct any misconfigured worker and restart it.",
  ],
  [
    'a forged signature',
    signed(Buffer.alloc(32).toString('base64'), 'HmacSHA256'),
    403,
    'Internal request contained invalid signature.',
  ],
  ['a short signature', signed('YWJj', 'HmacSHA256'), 403, 'Internal request contained invalid signature.'],
] as const

function signed(signature: string, algorithm: string): Record<string, string> {
  return { 'X-Connect-Authorization': signature, 'X-Connect-Request-Signature-Algorithm': algorithm }
}

test('requests that no worker has signed are refused, with the texts of Kafka Connect', async () => {
  await using worker = await startFollower(null)
  worker.herder.sessionKey = sessionKey
  for (const [name, headers, status, message] of refusals) {
    const answer = await fetch(`${worker.server.url}/connectors/c/tasks`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: '[]',
    })
    assert.deepEqual([answer.status, await answer.json()], [status, { error_code: status, message }], name)
  }
  worker.herder.sessionKey = null
  const early = await put(worker.server.url, '/connectors/c/fence', { headers: signed('YWJj', 'HmacSHA256') })
  assert.deepEqual([early.status, early.retryAfter], [503, '1'])
  assert.deepEqual(worker.herder.recorded, [])
})
