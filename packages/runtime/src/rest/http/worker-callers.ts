import { hostname } from 'node:os'
import type { WorkerConfig } from '../../config/worker-config.ts'
import type { AllowedCallers } from './caller.ts'

/** Who may call a worker. Its own names are always allowed; with `rest.allowed.hosts`, no others are. */
export function workerCallers({
  allowedCallers: { hosts, origins },
  rest: { listeners },
  advertisedHost,
}: Pick<WorkerConfig, 'allowedCallers' | 'advertisedHost'> & {
  readonly rest: Pick<WorkerConfig['rest'], 'listeners'>
}): AllowedCallers {
  const names = [hostname(), advertisedHost, ...listeners.map(({ host }) => host)].filter((name) => name !== null)
  return { hosts: [...hosts, ...names], origins, isStrict: hosts.length > 0 }
}
