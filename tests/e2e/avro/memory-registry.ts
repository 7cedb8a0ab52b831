import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A schema of the registry: its id is its place in the list, from 1. */
export interface KnownSchema {
  readonly subject: string
  readonly schema: string
}

/**
 * A schema registry in the test's process, with the part of Confluent's interface that the converter uses. The test can
 * make it fail or refuse a schema.
 */
export class MemoryRegistry implements AsyncDisposable {
  readonly schemas: KnownSchema[] = []
  /** Answers 503. */
  isInTrouble = false
  /** Refuses schemas that it matches as incompatible. */
  refused: RegExp | null = null
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      void (async (): Promise<void> => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const [status, body] = this.#answer(request.method ?? '', request.url ?? '', Buffer.concat(chunks).toString())
        response.writeHead(status, { 'Content-Type': 'application/vnd.schemaregistry.v1+json' })
        response.end(JSON.stringify(body))
      })()
    })
  }

  static async start(): Promise<MemoryRegistry> {
    const registry = new MemoryRegistry()
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve))
    return registry
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  #answer(method: string, path: string, body: string): readonly [status: number, body: object] {
    if (this.isInTrouble) return [503, { error_code: 50_301, message: 'no leader' }]
    const [, kind, name = ''] = path.split('/').map((part) => decodeURIComponent(part))
    if (kind === 'config') return [200, { compatibilityLevel: 'BACKWARD' }]
    if (path === '/schemas/types') return [200, ['AVRO']]
    if (kind === 'schemas') {
      const known = this.schemas[Number(path.split('/').at(-1)) - 1]
      return known === undefined ? [404, { error_code: 40_403, message: 'not found' }] : [200, { schema: known.schema }]
    }
    if (kind === 'compatibility') return [200, { is_compatible: this.refused?.test(body) !== true }]
    const ofSubject = this.schemas.filter(({ subject }) => subject === name)
    if (method === 'GET') {
      const latest = ofSubject.at(-1)
      if (latest === undefined) return [404, { error_code: 40_401, message: 'not found' }]
      return [200, { id: this.schemas.indexOf(latest) + 1, version: ofSubject.length, schema: latest.schema }]
    }
    const { schema } = JSON.parse(body) as { readonly schema: string }
    const at = this.schemas.findIndex((known) => known.subject === name && known.schema === schema)
    if (at >= 0) return [200, { id: at + 1 }]
    if (!path.endsWith('/versions')) return [404, { error_code: 40_403, message: 'not found' }]
    if (this.refused?.test(schema) === true) return [409, { error_code: 409, message: 'incompatible' }]
    this.schemas.push({ subject: name, schema })
    return [200, { id: this.schemas.length }]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** The properties of a connector that writes Avro. */
export function avroProperties(url: string): Record<string, string> {
  return {
    'key.converter': 'avro',
    'key.converter.schema.registry.url': url,
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'value.converter.schema.registry.url': url,
  }
}
