import type { AssignorMember, MemberAssignment } from './assignor/assignor.ts'

/** The member that runs each connector and task, as the leader knows it. */
export interface OwnerUrls {
  /** The REST URLs of all members. */
  readonly urls: readonly string[]
  ofConnector(connector: string): string | null
  ofTask(connector: string, task: number): string | null
  /** Whether a member was assigned the task, or reported it, even if it is revoked. True when that is not known. */
  mayRunTask(connector: string, task: number): boolean
  /** The same of any task of the connector. */
  mayRunTasks(connector: string): boolean
}

export const NO_OWNERS: OwnerUrls = {
  urls: [],
  ofConnector: () => null,
  ofTask: () => null,
  mayRunTask: () => true,
  mayRunTasks: () => true,
}

/** The owners after a round: each member has its reported work without the revoked, and its assigned work. */
export function ownerUrls(
  members: readonly Pick<AssignorMember, 'memberId' | 'worker' | 'running'>[],
  assignments: ReadonlyMap<string, MemberAssignment>,
): OwnerUrls {
  const connectors = new Map<string, string>()
  const tasks = new Map<string, string>()
  const busy = new Set<string>()
  const busyConnectors = new Set<string>()
  const key = (connector: string, task: number): string => `${task} ${connector}`
  for (const { memberId, worker, running } of members) {
    const { assigned, revoked } = assignments.get(memberId) ?? { assigned: running, revoked: running }
    for (const connector of running.connectors) connectors.set(connector, worker)
    for (const { connector, task } of running.tasks) tasks.set(key(connector, task), worker)
    for (const { connector, task } of [...running.tasks, ...assigned.tasks]) {
      busy.add(key(connector, task))
      busyConnectors.add(connector)
    }
    for (const connector of revoked.connectors) connectors.delete(connector)
    for (const { connector, task } of revoked.tasks) tasks.delete(key(connector, task))
    for (const connector of assigned.connectors) connectors.set(connector, worker)
    for (const { connector, task } of assigned.tasks) tasks.set(key(connector, task), worker)
  }
  return {
    urls: members.map(({ worker }) => worker),
    ofConnector: (connector) => connectors.get(connector) ?? null,
    ofTask: (connector, task) => tasks.get(key(connector, task)) ?? null,
    mayRunTask: (connector, task) => busy.has(key(connector, task)),
    mayRunTasks: (connector) => busyConnectors.has(connector),
  }
}
