import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { freePort } from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'
import { fakeService, page } from '../testing/fake-service.ts'

const foreign: readonly (readonly [what: string, answer: RequestListener, reason: RegExp])[] = [
  [
    'a page of a proxy',
    page(502, '<html><body><h1>502 Bad Gateway</h1></body></html>'),
    /its answer with status 502 is not an error document of Connect but “502 Bad Gateway” \(GET \/connectors\?/,
  ],
  ['a web server', page(200, '<p>It works!</p>'), /its answer with status 200 is not JSON but “It works!”/],
  [
    'a redirection',
    page(302, '', { Location: 'https://login.example/' }),
    /it answers with status 302 and redirects to https:\/\/login\.example\//,
  ],
  ['another JSON service', page(200, '{"a":1}'), /its JSON is not a list of connectors/],
  ['an empty error', page(500, ''), /its answer with status 500 is not an error document of Connect but empty/],
]

for (const [what, answer, reason] of foreign) {
  test(`${what} instead of the service is recognized (exit code 3)`, async () => {
    await using server = await fakeService(answer)
    const { code, stdout, stderr } = await runCli(['connectors', 'list', '--url', server.url])
    assert.equal(code, 3, stderr)
    assert.equal(stdout, '')
    assert.match(
      stderr,
      /^tributary connectors: The program that answers at http:\/\/127\.0\.0\.1:\d+ is not a Connect worker: /,
    )
    assert.match(stderr, reason)
  })
}

test('the error for an unreachable service has the address and what to do, once for several names (exit code 3)', async () => {
  const url = `127.0.0.1:${await freePort()}`
  const { code, stderr } = await runCli(['connectors', 'pause', 'a', 'b'], { TRIBUTARY_URL: url })
  assert.equal(code, 3)
  assert.equal(
    stderr,
    `tributary connectors: a: No service answers at http://${url}: connect ECONNREFUSED ${url}. Start it with tributary start, or set its address: --url http://host:port, or TRIBUTARY_URL.\n`,
  )
})

test('the command waits during a rebalance (409) and the start of the worker (503), and prints that once', async () => {
  // The message of Kafka Connect's ConnectRestException while a group rebalances.
  const answers = [
    [
      409,
      '{"error_code":409,"message":"Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)"}',
    ],
    [503, '{"error_code":503,"message":"Worker is still starting up."}'],
    [200, '{}'],
  ] as const
  let requests = 0
  await using server = await fakeService((request, response) => {
    const [status, body] = answers[requests] ?? [500, '']
    requests += 1
    page(status, body)(request, response)
  })
  const { code, stdout, stderr } = await runCli(['connectors', 'list', '--url', server.url])
  assert.equal(code, 0, stderr)
  assert.equal(requests, 3)
  assert.equal(stdout, 'There are no connectors.\n')
  assert.equal(
    stderr,
    'tributary connectors: Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change) (409); retrying for up to 60 s\n',
  )
})

test('user and password of the address are sent as credentials and appear in no message', async () => {
  let authorization = ''
  await using server = await fakeService((request, response) => {
    authorization = request.headers.authorization ?? ''
    page(404, 'nothing')(request, response)
  })
  const url = server.url.replace('//', '//ada:hun%20ter2@')
  const { stdout, stderr } = await runCli(['connectors', 'list', '--url', url])
  assert.equal(authorization, `Basic ${Buffer.from('ada:hun ter2').toString('base64')}`)
  assert.doesNotMatch(stdout + stderr, /ter2/)
})

test('a worker that needs a login is one, and the error has the form of the address (exit code 3)', async () => {
  // The answer of Kafka Connect's PropertyFileLoginModule, and of Tributary.
  await using server = await fakeService(page(401, 'User cannot access the resource.'))
  const url = server.url.replace('//', '//ada:hunter2@')
  const without = await runCli(['connectors', 'list', '--url', server.url])
  const wrong = await runCli(['connectors', 'list', '--url', url])
  assert.deepEqual([without.code, wrong.code], [3, 3])
  assert.match(without.stderr, /^tributary connectors: The worker at http:\/\/127\.0\.0\.1:\d+ needs a login\. /)
  assert.match(without.stderr, /--url http:\/\/name:password@host:port/)
  assert.match(wrong.stderr, /needs a login: it refuses this name and password\. /)
  assert.doesNotMatch(wrong.stderr, /hunter2/)
})

const unusable: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [
    ['list', '--url', 'ftp://ada:hunter2@host/'],
    /ftp:\/\/…@host\/ is not the address of a service: ftp is not http or https/,
  ],
  [['list', '--url', 'http://ada:hunter2%zz@host'], /http:\/\/…@host\/ is not the address of a service: write a %/],
  [['list', '--url', 'http://a:b:c'], /http:\/\/a:b:c is not the address of a service/],
  [['create', 'nowhere.json'], /There is no file \/.*\/nowhere\.json\./],
  [['create', 'package.json', '--wait-seconds', 'long'], /It must be a whole number of seconds above 0/],
  [['pause'], /missing required argument 'name'/],
  [['lst'], /unknown command 'lst'/],
]

test('an invalid command line is an error before any request (exit code 2)', async () => {
  for (const [args, message] of unusable) {
    const { code, stderr } = await runCli(['connectors', ...args])
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /hunter2/)
  }
})

test('https for a plain HTTP port, and a path without a service, have errors of their own', async () => {
  await using server = await fakeService(page(404, '{"error_code":404,"message":"HTTP 404 Not Found"}'))
  const secure = await runCli(['connectors', 'list', '--url', server.url.replace('http:', 'https:')])
  assert.equal(secure.code, 3)
  assert.match(secure.stderr, /the port does not use TLS; use http:\/\/ instead of https:\/\//)
  const below = await runCli(['connectors', 'list', '--url', `${server.url}/x`])
  assert.equal(below.code, 1)
  assert.match(below.stderr, /http:\/\/127\.0\.0\.1:\d+\/x does not have the paths of a Connect worker; check --url/)
})
