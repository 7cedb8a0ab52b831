import { internalRouteNames, routes } from '@tributary/rest-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock, Logger } from '@tributary/support'
import { sendError } from '../error-answer.ts'
import type { AllowedCallers } from '../http/caller.ts'
import { refuseBrowserChange } from './browser-change.ts'
import type { Logins, Role } from './logins.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the user who sends the request; `full` for everybody when the worker has no logins. */
    role: Role
  }
}

export interface AccessOptions {
  readonly allowedCallers: AllowedCallers
  /** Null: no login is needed. */
  readonly logins: Logins | null
  /** Paths that need no login: those of files that everybody may read. */
  readonly isPublic: (path: string) => boolean
  readonly logger: Logger
  readonly clock: Clock
}

/** One line in this time for all wrong logins: a client that repeats its requests must not fill the log. */
const LOG_PAUSE_MS = 60_000

/** Methods that change nothing. A validation makes the worker connect to any server, so it is not one. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Decides whether a request may be executed: changes by web pages, the login, the role. */
export class AccessCheck {
  readonly #options: AccessOptions
  #loggedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: AccessOptions) {
    this.#options = options
  }

  /** Answers a refused request and returns the answer; otherwise null. */
  check(request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
    const { allowedCallers, logins, isPublic } = this.#options
    const { method, headers } = request
    const change = refuseBrowserChange({ method, headers }, allowedCallers)
    if (change !== null) return sendError(asJson(reply), change.status, change.message)
    request.role = 'full'
    const [path = ''] = request.url.split('?', 1)
    if (logins === null || (SAFE.has(method) && isPublic(path)) || isOfWorker(request)) return null
    const user = logins.identify(headers.authorization)
    if (user === null) return this.#refuseLogin(request, reply, logins)
    request.role = user.role
    if (user.role === 'full' || SAFE.has(method)) return null
    // Not the routed path, whose parameters are encoded twice.
    const [target = ''] = request.originalUrl.split('?', 1)
    const message = `User ${user.name} may only read (rest.auth.read.only.users), and ${method} ${target} may change something`
    return sendError(asJson(reply), 403, message)
  }

  /** Status and text of Kafka Connect's login. */
  #refuseLogin({ headers, ip, method }: FastifyRequest, reply: FastifyReply, logins: Logins): FastifyReply {
    const { clock, logger } = this.#options
    if (headers.authorization !== undefined && clock.now() - this.#loggedAtMs >= LOG_PAUSE_MS) {
      this.#loggedAtMs = clock.now()
      logger.warn(`Refused a ${method} request with a wrong login from ${ip}; further ones are not logged for 60 s`)
    }
    // A browser would ask for the login itself, also when the page has a form for it.
    const isOfPage = headers['sec-fetch-mode'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
    if (!isOfPage) reply.header('www-authenticate', logins.challenges.join(', '))
    return reply.code(401).header('content-type', 'text/plain').send(Buffer.from('User cannot access the resource.'))
  }
}

/**
 * A signed request of another worker needs no login, as in Kafka Connect: its operation checks the signature. Uses the
 * path as the router reads it, so that no other spelling of a path can avoid the login.
 */
function isOfWorker({ headers, method, routeOptions }: FastifyRequest): boolean {
  return headers['x-connect-authorization'] !== undefined && WORKER_ROUTES.has(`${method} ${routeOptions.url}`)
}

const WORKER_ROUTES: ReadonlySet<string> = new Set(
  internalRouteNames.map((name) => `${routes[name].method} ${routes[name].path.replace('{connector}', ':connector')}`),
)

function asJson(reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'application/json')
}
