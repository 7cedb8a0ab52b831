import type { AssignorInput, AssignorMember, AssignorMemory, AssignorResult, MemberAssignment } from './assignor.ts'
import { balanceCounts } from './balance-counts.ts'
import { balanceLoads } from './balance-loads.ts'
import { itemsOf, taskKey, workOf, type Item } from './items.ts'
import { placeItems, type Placement } from './place.ts'
import { canRun, Plan } from './plan.ts'

/**
 * Assigns connectors and tasks as in incremental cooperative rebalancing (KIP-415): members keep what they run through
 * a rebalance. What has to move is revoked in one rebalance and assigned in the next one.
 *
 * **Safety needs no memory**: an item is assigned only if no member has reported that it runs it. So it does not matter
 * whether the leader is new, whether an assignment arrived, or which generation a member has seen.
 *
 * - An item that no longer exists is revoked. One that two members run is revoked from both, as in Kafka Connect.
 * - The work of a lost member is assigned at once, or after `maxDelayMs`; a worker with its URL that returns gets it
 *   before. Meanwhile nothing is moved for the balance.
 * - A new leader does not know which work was lost. It assigns all work that runs nowhere at once, as in Kafka Connect.
 * - No member has two connectors, or two tasks, more than another. Then the loads decide (balance-loads.ts), if every
 *   member reports them.
 *
 * Without further changes the second rebalance assigns everything, and a third one would change nothing.
 */
export function assignIncrementally(input: AssignorInput): AssignorResult {
  const { members, memory, nowMs } = input
  const found = takeStock(input)
  const plan = new Plan(members)
  const loads = knownLoads(input)
  const impossible: Item[] = []
  for (const isKind of [isConnector, isTask]) {
    const placement = placementOf(found, isKind, plan, { memory, loads })
    impossible.push(...planKind(isKind, plan, placement, found))
  }
  const isWhole = found.waiting.length === 0
  if (isWhole && members.every((each) => each.loads !== null)) balanceLoads(plan, loadIn(loads))
  return {
    assignments: new Map(members.map((member) => [member.memberId, assignmentOf(member, plan, found)])),
    delayMs: isWhole ? 0 : Math.max(1, Math.ceil(found.dueMs - nowMs)),
    unassigned: { waiting: workOf(found.waiting), impossible: workOf(impossible) },
    memory: { owners: ownersOf(plan, found, memory), loads, dueMs: isWhole ? null : found.dueMs },
  }
}

/** The configured items, by where they run. */
interface Stock {
  readonly configured: ReadonlyMap<string, Item>
  /** The members that run an item, by key. */
  readonly runners: ReadonlyMap<string, readonly AssignorMember[]>
  /** Configured, runs nowhere, and may be assigned now. */
  readonly free: readonly Item[]
  /** The same, but waits for its lost worker. */
  readonly waiting: readonly Item[]
  readonly dueMs: number
}

function takeStock({ members, configured: work, memory, nowMs, maxDelayMs }: AssignorInput): Stock {
  const configured = new Map(itemsOf(work).map((item) => [item.key, item]))
  const runners = new Map<string, AssignorMember[]>()
  for (const member of members) {
    for (const { key } of itemsOf(member.running)) runners.set(key, [...(runners.get(key) ?? []), member])
  }
  const idle = [...configured.values()].filter(({ key }) => !runners.has(key))
  const workers = new Set(members.map(({ worker }) => worker))
  const isLost = ({ key }: Item): boolean => {
    const owner = memory.owners.get(key)
    return owner !== undefined && !workers.has(owner)
  }
  // A smaller delay than before applies at once, a larger one to the next loss.
  const dueMs = Math.min(memory.dueMs ?? Number.POSITIVE_INFINITY, nowMs + maxDelayMs)
  const waiting = nowMs >= dueMs ? [] : idle.filter(isLost)
  const isWaiting = new Set(waiting)
  return { configured, runners, free: idle.filter((item) => !isWaiting.has(item)), waiting, dueMs }
}

function isConnector({ task }: Item): boolean {
  return task === null
}

function isTask({ task }: Item): boolean {
  return task !== null
}

interface Known {
  readonly memory: AssignorMemory
  readonly loads: ReadonlyMap<string, number>
}

/** Keeps the items that may stay where they run, and counts them. */
function placementOf(found: Stock, isKind: (item: Item) => boolean, plan: Plan, known: Known): Placement {
  const counts = new Map(plan.members.map((member) => [member, 0]))
  for (const item of found.configured.values()) {
    const [only, ...more] = found.runners.get(item.key) ?? []
    if (!isKind(item) || only === undefined || more.length > 0 || !mayStay(only, item, plan)) continue
    plan.keep(item, only)
    counts.set(only, (counts.get(only) ?? 0) + 1)
  }
  const byWorker = new Map(plan.members.toReversed().map((member) => [member.worker, member]))
  const ownerOf = (item: Item): AssignorMember | null => byWorker.get(known.memory.owners.get(item.key) ?? '') ?? null
  const beside = (item: Item): AssignorMember | null => (isTask(item) ? plan.holder(`c ${item.connector}`) : null)
  return { counts, preferred: (item) => ownerOf(item) ?? beside(item), loadOf: loadIn(known.loads) }
}

/** An item that no other member can run stays where it is, unless its member stops. */
function mayStay(member: AssignorMember, item: Item, plan: Plan): boolean {
  if (member.isLeaving) return false
  return canRun(member, item) || !plan.members.some((other) => canRun(other, item))
}

/** Plans all items of a kind, and returns those that no member can run. */
function planKind(isKind: (item: Item) => boolean, plan: Plan, placement: Placement, found: Stock): readonly Item[] {
  const displaced = [...found.configured.values()].filter(
    ({ key }) => found.runners.get(key)?.length === 1 && plan.holder(key) === null,
  )
  const impossible = placeItems([...found.free, ...displaced].filter(isKind), plan, placement)
  if (found.waiting.length === 0) balanceCounts(isKind, plan, placement)
  return impossible
}

function assignmentOf(member: AssignorMember, plan: Plan, found: Stock): MemberAssignment {
  const isLeaving = !plan.members.includes(member)
  const planned = isLeaving ? [] : plan.itemsOf(member)
  const revoked = itemsOf(member.running).filter(({ key }) => isLeaving || plan.holder(key) !== member)
  return { assigned: workOf(planned.filter(({ key }) => !found.runners.has(key))), revoked: workOf(revoked) }
}

/** The owners of the next rebalance. Work that waits keeps its owner. */
function ownersOf(plan: Plan, found: Stock, memory: AssignorMemory): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const waiting = new Set(found.waiting.map(({ key }) => key))
  for (const key of found.configured.keys()) {
    const owner = waiting.has(key) ? memory.owners.get(key) : plan.holder(key)?.worker
    if (owner !== undefined) owners.set(key, owner)
  }
  return owners
}

/** The reported loads, and the last known ones of tasks that are about to move or have just begun. */
function knownLoads({ members, configured, memory }: AssignorInput): ReadonlyMap<string, number> {
  const loads = new Map<string, number>()
  for (const { connector, task } of configured.tasks) {
    const remembered = memory.loads.get(taskKey(connector, task))
    if (remembered !== undefined) loads.set(taskKey(connector, task), remembered)
  }
  const known = new Set(configured.tasks.map(({ connector, task }) => taskKey(connector, task)))
  for (const { connector, task, bytesPerSecond } of members.flatMap((member) => member.loads ?? [])) {
    const key = taskKey(connector, task)
    if (known.has(key)) loads.set(key, bytesPerSecond)
  }
  return loads
}

/** A task whose load is unknown counts as an average one. */
function loadIn(loads: ReadonlyMap<string, number>): (item: Item) => number {
  const average = loads.size === 0 ? 0 : [...loads.values()].reduce((sum, load) => sum + load, 0) / loads.size
  return ({ key, task }) => (task === null ? 0 : (loads.get(key) ?? average))
}
