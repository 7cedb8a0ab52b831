import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

/** What a client sent to the token endpoint. */
export interface TokenRequest {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface TokenAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface TokenClaims {
  readonly sub?: string
  readonly lifetimeSeconds?: number
  /** Changes of the claims; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Signs with another key than the published one. */
  readonly isForged?: boolean
}

export const ISSUER = 'https://issuer.test'
export const AUDIENCE = 'kafka'

/** An identity provider: signs tokens (RS256), publishes its key, and answers token requests as a test wants. */
export class IdentityProvider implements AsyncDisposable {
  /** The requests so far. */
  readonly requests: TokenRequest[] = []
  /** How it answers; null closes the connection. */
  answer: (request: TokenRequest) => TokenAnswer | null = () => this.grants()
  readonly #servers: readonly Server[]
  readonly #key: KeyObject
  readonly #publicKey: KeyObject
  readonly #stranger: KeyObject

  private constructor(servers: readonly Server[]) {
    this.#servers = servers
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.#key = pair.privateKey
    this.#publicKey = pair.publicKey
    this.#stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    for (const server of servers) server.on('request', (request, response) => void this.#serve(request, response))
  }

  /** With a certificate (PEM, key and certificate), it serves https as well. */
  static async start(certificate?: string): Promise<IdentityProvider> {
    const servers = [createServer()]
    if (certificate !== undefined) servers.push(createTlsServer({ key: certificate, cert: certificate }))
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new IdentityProvider(servers)
  }

  get tokenUrl(): string {
    return `http://127.0.0.1:${this.#port(0)}/token`
  }

  get tlsTokenUrl(): string {
    return `https://localhost:${this.#port(1)}/token`
  }

  get keysUrl(): string {
    return `http://127.0.0.1:${this.#port(0)}/keys`
  }

  /** A signed token. */
  token({ sub = 'client', lifetimeSeconds = 300, claims = {}, isForged = false }: TokenClaims = {}): string {
    // oxlint-disable-next-line no-restricted-globals -- the broker compares with the real time
    const now = Math.floor(Date.now() / 1000)
    const payload = { iss: ISSUER, aud: AUDIENCE, sub, iat: now, exp: now + lifetimeSeconds, ...claims }
    const content = [{ alg: 'RS256', kid: 'one' }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = sign('sha256', Buffer.from(content), isForged ? this.#stranger : this.#key)
    return `${content}.${signature.toString('base64url')}`
  }

  /** The answer with a token. */
  grants(claims: TokenClaims = {}): TokenAnswer {
    return { status: 200, body: JSON.stringify({ access_token: this.token(claims), token_type: 'Bearer' }) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  #port(index: number): number {
    const address = this.#servers[index]?.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/keys') {
      const key = { ...this.#publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [key] }))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = { headers: request.headers, body: Buffer.concat(chunks).toString() }
    this.requests.push(asked)
    const answer = this.answer(asked)
    if (answer === null) request.socket.destroy()
    else response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers }).end(answer.body)
  }
}
