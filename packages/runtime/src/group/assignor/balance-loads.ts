import type { AssignorMember } from './assignor.ts'
import { sortedItems, type Item } from './items.ts'
import { canRun, type Plan } from './plan.ts'

/**
 * A task is interrupted only for a gain that somebody notices: a fifth of the average load of a worker, and 1 MB/s,
 * which is a hundredth of what one worker writes.
 */
const GAIN_LEAST_SHARE = 0.2
const GAIN_LEAST_BYTES_PER_SECOND = 1_000_000

/** Far more than the members of a group. */
const STEPS_MAX = 100

/**
 * Lowers the load of the busiest member, while that is worth an interruption: swaps one of its tasks for a lighter one
 * of another member, or moves one to a member that has fewer. The counts stay balanced.
 */
export function balanceLoads(plan: Plan, loadOf: (item: Item) => number): void {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const loads = plan.members.map((member) => ({ member, load: sum(tasksOf(plan, member), loadOf) }))
    const average = loads.reduce((all, { load }) => all + load, 0) / Math.max(1, loads.length)
    const gainLeast = Math.max(average * GAIN_LEAST_SHARE, GAIN_LEAST_BYTES_PER_SECOND)
    const [busiest] = loads.toSorted((a, b) => b.load - a.load)
    if (busiest === undefined) return
    const best = bestExchange(plan, busiest, { others: loads, loadOf })
    if (best === null || best.gain < gainLeast) return
    plan.move(best.heavy, best.other)
    if (best.light !== null) plan.move(best.light, busiest.member)
  }
}

interface LoadedMember {
  readonly member: AssignorMember
  readonly load: number
}

interface Exchange {
  readonly heavy: Item
  /** The task that the busiest member gets in exchange; null: it gets none. */
  readonly light: Item | null
  readonly other: AssignorMember
  /** The amount by which the greater of the two loads falls. */
  readonly gain: number
}

interface Loads {
  readonly others: readonly LoadedMember[]
  readonly loadOf: (item: Item) => number
}

function bestExchange(plan: Plan, busiest: LoadedMember, { others, loadOf }: Loads): Exchange | null {
  let best: Exchange | null = null
  const heavies = tasksOf(plan, busiest.member)
  for (const { member: other, load } of others) {
    if (other === busiest.member) continue
    const tasks = tasksOf(plan, other)
    const lights: readonly (Item | null)[] = heavies.length > tasks.length ? [null, ...tasks] : tasks
    for (const heavy of heavies) {
      if (!canRun(other, heavy)) continue
      for (const light of lights) {
        if (light !== null && !canRun(busiest.member, light)) continue
        const moved = loadOf(heavy) - (light === null ? 0 : loadOf(light))
        const gain = busiest.load - Math.max(busiest.load - moved, load + moved)
        // Of two exchanges with the same gain, the one that interrupts the lighter task.
        const isBetter = best === null || gain > best.gain || (gain === best.gain && loadOf(heavy) < loadOf(best.heavy))
        if (isBetter) best = { heavy, light, other, gain }
      }
    }
  }
  return best
}

function tasksOf(plan: Plan, member: AssignorMember): readonly Item[] {
  return sortedItems(plan.itemsOf(member).filter(({ task }) => task !== null))
}

function sum(items: readonly Item[], loadOf: (item: Item) => number): number {
  return items.reduce((all, item) => all + loadOf(item), 0)
}
