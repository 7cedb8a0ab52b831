import type { AssignorMember } from './assignor.ts'
import { sortedItems, type Item } from './items.ts'
import { canRun, type Plan } from './plan.ts'

export interface Placement {
  /** How many items of this kind each member of the plan has. */
  readonly counts: Map<AssignorMember, number>
  /** The member that should get an item if the balance allows it; null: any. */
  readonly preferred: (item: Item) => AssignorMember | null
  /** Heavier items are placed first, where the load is lowest. */
  readonly loadOf: (item: Item) => number
}

/**
 * Places items that run nowhere, or must move, on the members with the fewest. Returns those that no member can run.
 *
 * Items go to members below the average first: each of these saves a move of a running item later. Among members with
 * the same count, an item goes to the one that it prefers, then to the one with the lowest load.
 */
export function placeItems(items: readonly Item[], plan: Plan, placement: Placement): readonly Item[] {
  const { counts, preferred, loadOf } = placement
  const possible = items.filter((item) => plan.members.some((member) => canRun(member, item)))
  const average = Math.floor((total(counts) + possible.length) / Math.max(1, plan.members.length))
  const ordered = sortedItems(possible).toSorted((a, b) => loadOf(b) - loadOf(a))
  const put = (item: Item, member: AssignorMember): void => {
    plan.move(item, member)
    counts.set(member, countOf(counts, member) + 1)
  }
  const others = ordered.filter((item) => {
    const member = preferred(item)
    if (member === null || !canRun(member, item) || countOf(counts, member) >= average) return true
    put(item, member)
    return false
  })
  // Items without a preferred member first: they fill up the members below the average.
  for (const item of others.toSorted((a, b) => Number(preferred(a) !== null) - Number(preferred(b) !== null))) {
    const member = leastLoaded(item, plan, placement)
    if (member !== null) put(item, member)
  }
  const placed = new Set(possible)
  return items.filter((item) => !placed.has(item))
}

function leastLoaded(item: Item, plan: Plan, { counts, preferred, loadOf }: Placement): AssignorMember | null {
  const able = plan.members.filter((member) => canRun(member, item))
  const least = Math.min(...able.map((member) => countOf(counts, member)))
  const candidates = able.filter((member) => countOf(counts, member) === least)
  const wished = preferred(item)
  if (wished !== null && candidates.includes(wished)) return wished
  const loads = candidates.map((member) => plan.itemsOf(member).reduce((sum, each) => sum + loadOf(each), 0))
  const totals = candidates.map((member) => plan.itemsOf(member).length)
  const order = candidates.map((_, i) => i)
  order.sort((a, b) => (loads[a] ?? 0) - (loads[b] ?? 0) || (totals[a] ?? 0) - (totals[b] ?? 0))
  return candidates[order[0] ?? -1] ?? null
}

export function countOf(counts: ReadonlyMap<AssignorMember, number>, member: AssignorMember): number {
  return counts.get(member) ?? 0
}

function total(counts: ReadonlyMap<AssignorMember, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
