import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { isRetriable, StoppedError, systemClock } from '@tributary/support'
import type { TokenEndpoint } from '../api/token-settings.ts'
import type { Token } from '../api/token-source.ts'
import { endpointToken } from './endpoint-token.ts'

const jwt = (claims: object): string =>
  [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.'

async function tokenFrom(
  answer: (response: ServerResponse) => void,
  changes: Partial<TokenEndpoint> = {},
  signal: AbortSignal = AbortSignal.timeout(30_000),
): Promise<Token> {
  const server = createServer((_, response) => answer(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/token?key=hush`)
  const grant = { tag: 'clientSecret', clientId: 'id', clientSecret: 'hush', isUrlEncoded: false } as const
  const limits = { timeoutMs: 500, retryBackoffMs: 1, retryBackoffMaxMs: 20 }
  try {
    return await endpointToken(
      { tag: 'endpoint', url, tls: {}, grant, scope: null, ...limits, ...changes },
      null,
      systemClock,
      signal,
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('an unusable answer is an error that names the reason, and shows neither secret nor token', async () => {
  const future = { exp: 4e9, sub: 'me' }
  const send =
    (status: number, body: string, headers = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(body)
  const endless = (response: ServerResponse): void => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    response.on('error', () => undefined)
    more()
  }
  const table: readonly (readonly [answer: (response: ServerResponse) => void, code: string, reason: RegExp])[] = [
    [send(200, 'not JSON hush'), 'TOKEN_INVALID', /no JSON object with access_token/],
    [send(200, '[]'), 'TOKEN_INVALID', /no JSON object with access_token/],
    [send(200, 'null'), 'TOKEN_INVALID', /no JSON object with access_token/],
    [send(200, '{"access_token":5}'), 'TOKEN_INVALID', /no JSON object with access_token/],
    [send(200, '{"access_token":"opaque-hush"}'), 'TOKEN_INVALID', /not a JSON Web Token/],
    [send(200, `{"access_token":"a.${Buffer.from('[]').toString('base64url')}.c"}`), 'TOKEN_INVALID', /claims/],
    [send(200, `{"access_token":"${jwt({ ...future, exp: 5 })}"}`), 'TOKEN_INVALID', /expired \d+ s ago/],
    [send(200, `{"access_token":"${jwt(future)}${'x'.repeat(300_000)}"}`), 'TOKEN_INVALID', /longer than 262144/],
    [send(302, '', { Location: 'http://elsewhere/' }), 'TOKEN_REFUSED', /redirects to http:\/\/elsewhere/],
    [send(404, '<html>\u001b[31m'), 'TOKEN_REFUSED', /status 404 \(<html>\\u001b.*endpoint\.url/],
    [send(400, '{"error":"invalid_scope"}'), 'TOKEN_REFUSED', /status 400 \(invalid_scope\).*scope/],
    [send(500, 'hush'), 'TOKEN_UNAVAILABLE', /status 500 \(\[hidden\]\)/],
    [(response) => void response.socket?.end('SSH-2.0-x\r\n'), 'TOKEN_UNAVAILABLE', /Expected HTTP/],
    [(response) => void response.destroy(), 'TOKEN_UNAVAILABLE', /hang up|ECONNRESET/],
    [() => undefined, 'TOKEN_UNAVAILABLE', /no answer within 500 ms/],
    [endless, 'TOKEN_UNAVAILABLE', /longer than 1 MiB/],
  ]
  for (const [answer, code, reason] of table) {
    await assert.rejects(tokenFrom(answer), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, error.message)
      assert.match(error.message, reason)
      assert.doesNotMatch(error.message, /hush|eyJ/)
      assert.equal(isRetriable(error), code === 'TOKEN_UNAVAILABLE')
      return true
    })
  }
})

test('a token may be in id_token; a stop ends the request', async () => {
  const token = jwt({ exp: 4e9, iat: 1e9, sub: 'me' })
  const found = await tokenFrom(
    (response) => void response.end(JSON.stringify({ access_token: ' ', id_token: ` ${token} ` })),
  )
  assert.deepEqual(found, { value: token, expiresAtMs: 4e12, startsAtMs: 1e12, user: 'me' })

  const stop = new AbortController()
  const waiting = tokenFrom(() => stop.abort(), { timeoutMs: 60_000 }, stop.signal)
  await assert.rejects(waiting, (error) => error instanceof StoppedError)
})
