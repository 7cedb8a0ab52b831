import { internalRouteNames, routes, type Route } from '@tributary/rest-api'
import { describeError, StoppedError, throwIfStopped, withTimeout, type Clock, type Logger } from '@tributary/support'
import { HerderError } from '../../herder/herder-error.ts'
import type { HerderGate } from '../herder-gate.ts'
import { RequestError } from '../request-error.ts'
import type { Handler, RestAnswer, RestRequest } from '../rest-answer.ts'
import { forwardedAnswer } from './forwarded-answer.ts'
import { NotSentError, type WorkerClient, type WorkerResponse } from './worker-client.ts'

export interface ForwarderOptions {
  readonly client: WorkerClient
  readonly gate: HerderGate
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * How long a request waits for a leader, when no leader is known or the leader cannot be reached. The group replaces a
 * killed leader only after its session; a client has to repeat its request then.
 */
const WAIT_MS = 5_000
const PAUSE_MS = 250
/** A page asks every few seconds. */
const READ_MS = 2_000
/** After this time the client gets its answer, whether or not this worker has seen the change. */
const CATCH_UP_MS = 3_000

/**
 * Forwards a request to the worker that can execute it, by the rules of Kafka Connect: a client's request with
 * `?forward=true`, such a request with `?forward=false`, and the latter not at all. So a request stops after two hops,
 * even if roles change meanwhile.
 *
 * Before it answers, this worker reads the config topic to its end, so that the client finds its change here.
 */
export class Forwarder implements Disposable {
  readonly #options: ForwarderOptions
  readonly #stop = new AbortController()

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  /** Aborts the requests that it is forwarding. */
  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  /** Wraps a handler: executes a request here, or forwards it to the worker that the herder names. */
  wrap(route: Route, handle: Handler): Handler {
    return (request) => this.#execute(route, handle, request)
  }

  /**
   * A handler of a read that the worker of a connector answers best: `requireRunner` fails on the others. When that one
   * does not answer, this worker answers with what it knows itself, and `handle` gets the address of the other one.
   */
  wrapRead(
    path: string,
    requireRunner: (request: RestRequest) => void,
    handle: (request: RestRequest, silent: string | null) => ReturnType<Handler>,
  ): Handler {
    return async (request) => {
      const target = targetBy(() => requireRunner(request))
      if (target === null || request.query.get('forward') === 'false') return handle(request, null)
      return (await this.#read(path, request, target)) ?? handle(request, target)
    }
  }

  /** Null when the other worker does not answer at once. */
  async #read(path: string, request: RestRequest, target: string): Promise<RestAnswer | null> {
    const { client, clock, logger } = this.#options
    try {
      const url = forwardUrl(target, path, request)
      const sent = { url, method: 'GET', headers: forwardedHeaders(request), body: request.body } as const
      const send = (limit: AbortSignal): Promise<WorkerResponse> => client.send(sent, limit)
      return forwardedAnswer(await withTimeout(clock, READ_MS, send, this.#stop.signal))
    } catch (error) {
      throwIfStopped(this.#stop.signal)
      logger.debug(`${target} could not be asked for ${path}: ${describeError(error)}`)
      return null
    }
  }

  async #execute(route: Route, handle: Handler, request: RestRequest): Promise<RestAnswer> {
    const { clock } = this.#options
    const stop = this.#stop.signal
    const endMs = clock.monotonicMs() + WAIT_MS
    for (;;) {
      try {
        return await handle(request)
      } catch (error) {
        const target = targetOf(error)
        if (target === undefined) throw error
        const mayWait = !request.query.has('forward') && clock.monotonicMs() < endMs
        if (target !== null) {
          const answer = await this.#forward(route, request, { target, mayWait })
          if (answer !== null) return answer
        } else if (!mayWait) throw error
      }
      await clock.sleep(PAUSE_MS, stop)
      throwIfStopped(stop)
    }
  }

  /** Returns null if the other worker cannot be reached and the request may wait for another one. */
  async #forward(
    route: Route,
    request: RestRequest,
    { target, mayWait }: { readonly target: string; readonly mayWait: boolean },
  ): Promise<RestAnswer | null> {
    const { client, gate, logger } = this.#options
    const url = forwardUrl(target, route.path, request)
    logger.debug(`Forwarding ${route.method} ${route.path} to ${target}`)
    try {
      const headers = { ...forwardedHeaders(request), ...(INTERNAL.has(route) && gate.herder.sign(request.body)) }
      const response = await client.send({ url, method: route.method, headers, body: request.body }, this.#stop.signal)
      const answer = forwardedAnswer(response)
      if (route.method !== 'GET') await this.#catchUp()
      return answer
    } catch (error) {
      if (error instanceof RequestError || error instanceof StoppedError) throw error
      if (error instanceof NotSentError && mayWait) return null
      const reason = `${describeError(error)} (${target})`
      // With a hint for clients that know it: nothing has been changed.
      const retryAfterS = error instanceof NotSentError ? 1 : undefined
      throw new RequestError(500, `IO Error trying to forward REST request: ${reason}`, error, retryAfterS)
    }
  }

  async #catchUp(): Promise<void> {
    const { gate, clock, logger } = this.#options
    try {
      await withTimeout(clock, CATCH_UP_MS, (signal) => gate.herder.catchUp(signal), this.#stop.signal)
    } catch (error) {
      logger.debug(`This worker has not read a forwarded change yet: ${describeError(error)}`)
    }
  }
}

/** The URL of the worker that can execute the request; null when it is not known; undefined for other errors. */
function targetOf(error: unknown): string | null | undefined {
  if (!(error instanceof HerderError)) return undefined
  const { problem } = error
  if (problem.tag === 'not leader') return problem.leaderUrl
  if (problem.tag === 'not owner') return problem.ownerUrl
  return undefined
}

/** Null: here, or not known. Other errors are those of the request. */
function targetBy(requireRunner: () => void): string | null {
  try {
    requireRunner()
    return null
  } catch (error) {
    const target = targetOf(error)
    if (target === undefined) throw error
    return target
  }
}

function forwardUrl(target: string, path: string, { parameters, query }: RestRequest): URL {
  const sent = query.get('forward')
  if (sent !== null && sent.toLowerCase() !== 'true') {
    const message = 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)'
    throw new RequestError(409, message, undefined, 1)
  }
  const url = new URL(target)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  url.pathname = url.pathname.replace(/\/$/, '') + filled
  const others = [...query].filter(([name]) => name !== 'forward')
  url.search = new URLSearchParams([['forward', String(sent === null)], ...others]).toString()
  return url
}

/** Forwards only the login of a client's headers, as Kafka Connect does. */
function forwardedHeaders({ headers: { authorization }, body }: RestRequest): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'user-agent': 'tributary',
    ...(body.length > 0 && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  }
}

/**
 * Requests of workers, whose signature was verified here. The forwarder signs them again, because it does not forward
 * the header with the signature. It signs nothing else: a user must not get the signature of a body of their choice.
 */
const INTERNAL: ReadonlySet<Route> = new Set(internalRouteNames.map((name) => routes[name]))
