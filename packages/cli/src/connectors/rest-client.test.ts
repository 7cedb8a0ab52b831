import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { freePort, temporaryFolder } from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'

interface Fake extends AsyncDisposable {
  readonly url: string
}

/** Something that listens where the service is thought to be. */
async function fake(answer: RequestListener): Promise<Fake> {
  const server = createServer(answer)
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

const foreign: readonly (readonly [what: string, answer: RequestListener, reason: RegExp])[] = [
  [
    'a page of a proxy',
    page(502, '<html><body><h1>502 Bad Gateway</h1></body></html>'),
    /its error \(502\) is not of Connect's form but “502 Bad Gateway”/,
  ],
  ['a web server', page(200, '<p>It works!</p>'), /its answer \(200\) is not JSON but “It works!”/],
  [
    'a redirection',
    page(302, '', { Location: 'https://login.example/' }),
    /sends elsewhere \(302, to https:\/\/login\.example\/\)/,
  ],
  ['another JSON service', page(200, '{"a":1}'), /its JSON is no list of connectors/],
  ['an empty error', page(401, ''), /its error \(401\) is not of Connect's form but empty/],
]

for (const [what, answer, reason] of foreign) {
  test(`${what} in the place of the service is told apart from it (exit code 3)`, async () => {
    await using server = await fake(answer)
    const { code, stdout, stderr } = await runCli(['connectors', 'list', '--url', server.url])
    assert.equal(code, 3, stderr)
    assert.equal(stdout, '')
    assert.match(stderr, /^tributary connectors: What answers .* at http:\/\/127\.0\.0\.1:\d+ is no Connect worker: /)
    assert.match(stderr, reason)
  })
}

test('nobody there: the address and what to do (exit code 3), for several names once', async () => {
  const url = `127.0.0.1:${await freePort()}`
  const { code, stderr } = await runCli(['connectors', 'pause', 'a', 'b'], { TRIBUTARY_URL: url })
  assert.equal(code, 3)
  assert.equal(
    stderr,
    `tributary connectors: a: No service answers at http://${url}: connect ECONNREFUSED ${url}. Start it (tributary start), or give its address: --url http://host:port, or TRIBUTARY_URL.\n`,
  )
})

test('a rebalance (409) and a start (503) are waited for, and told once', async () => {
  // The message of Kafka Connect's ConnectRestException while a group rebalances.
  const answers = [
    [
      409,
      '{"error_code":409,"message":"Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)"}',
    ],
    [503, '{"error_code":503,"message":"Worker is still starting up."}'],
    [200, '{}'],
  ] as const
  let asked = 0
  await using server = await fake((request, response) => {
    const [status, body] = answers[asked] ?? [500, '']
    asked += 1
    page(status, body)(request, response)
  })
  const { code, stdout, stderr } = await runCli(['connectors', 'list', '--url', server.url])
  assert.equal(code, 0, stderr)
  assert.equal(asked, 3)
  assert.equal(stdout, 'There are no connectors.\n')
  assert.equal(
    stderr,
    'tributary connectors: Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change); waiting for it\n',
  )
})

test('a user in the address goes to the proxy and into no message', async () => {
  let authorization = ''
  await using server = await fake((request, response) => {
    authorization = request.headers.authorization ?? ''
    page(404, 'nothing')(request, response)
  })
  const url = server.url.replace('//', '//ada:hun%20ter2@')
  const { stdout, stderr } = await runCli(['connectors', 'list', '--url', url])
  assert.equal(authorization, `Basic ${Buffer.from('ada:hun ter2').toString('base64')}`)
  assert.doesNotMatch(stdout + stderr, /ter2/)
})

const unusable: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [
    ['list', '--url', 'ftp://ada:hunter2@host/'],
    /ftp:\/\/…@host\/ is no address of a service: ftp is not http or https/,
  ],
  [['list', '--url', 'http://a:b:c'], /http:\/\/a:b:c is no address of a service/],
  [['create', 'nowhere.json'], /There is no file \/.*\/nowhere\.json\./],
  [['create', 'package.json', '--wait-seconds', 'long'], /A whole number of seconds above 0 is expected/],
  [['pause'], /missing required argument 'name'/],
  [['lst'], /unknown command 'lst'/],
]

test('what cannot be used is told before anything is asked (exit code 2)', async () => {
  for (const [args, message] of unusable) {
    const { code, stderr } = await runCli(['connectors', ...args])
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /hunter2/)
  }
})

test('https where plain HTTP is spoken, and a path that is not the service’s, are told as such', async () => {
  await using server = await fake(page(404, '{"error_code":404,"message":"HTTP 404 Not Found"}'))
  const secure = await runCli(['connectors', 'list', '--url', server.url.replace('http:', 'https:')])
  assert.equal(secure.code, 3)
  assert.match(secure.stderr, /it does not speak TLS there; write http:\/\/ instead of https:\/\//)
  const below = await runCli(['connectors', 'list', '--url', `${server.url}/x`])
  assert.equal(below.code, 1)
  assert.match(below.stderr, /the service has no such path at http:\/\/127\.0\.0\.1:\d+\/x; see --url/)
})

test('what a service has against a configuration that it takes is asked before the registration and told after it; one that tells nothing is fine', async () => {
  await using folder = temporaryFolder('create')
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, '{"name":"shop","config":{"connector.class":"MySql","topic.prefix":"shop"}}')
  const asked: string[] = []
  const withWarnings = '{"name":"MySql","configs":[],"warnings":[{"property":"topic.prefix","message":"it is shared"}]}'
  const serve = (validation: RequestListener): RequestListener => {
    return (request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (request.method === 'POST') page(201, '{"name":"shop"}')(request, response)
      else validation(request, response)
    }
  }
  const validations = [
    page(200, withWarnings),
    page(200, '{"configs":[]}'),
    page(500, '{"error_code":500,"message":"no"}'),
  ]
  const told: string[] = []
  for (const validation of validations) {
    await using server = await fake(serve(validation))
    const { code, stdout, stderr } = await runCli(['connectors', 'create', file, '--url', server.url])
    assert.deepEqual([code, stdout], [0, 'shop: created\n'])
    told.push(stderr)
  }
  assert.deepEqual(told, ['tributary connectors: warning: it is shared\n', '', ''])
  assert.deepEqual(asked.slice(0, 2), [
    'PUT /connector-plugins/MySql/config/validate?warnings=true',
    'POST /connectors',
  ])
})
