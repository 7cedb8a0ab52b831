import { present } from '@tributary/support'
import type { AssignorMember } from './assignor.ts'
import { compareText, type Item } from './items.ts'
import { countOf, type Placement } from './place.ts'
import { canRun, type Plan } from './plan.ts'

/**
 * Moves items until no member has two more than another one that could run one of them. If all members can run
 * everything, it makes the fewest moves that achieve this. Each step finds the shortest path from a member with too
 * many items to one with fewer. A path has several moves only if a plug-in is missing: an item moves from A to B, and
 * another one from B to C.
 */
export function balanceCounts(kind: (item: Item) => boolean, plan: Plan, placement: Placement): void {
  const { counts } = placement
  for (;;) {
    const way = shortestWay(kind, plan, placement)
    if (way === null) return
    for (const { item, to } of way.moves) plan.move(item, to)
    counts.set(way.from, countOf(counts, way.from) - 1)
    counts.set(way.to, countOf(counts, way.to) + 1)
  }
}

interface Move {
  readonly item: Item
  readonly to: AssignorMember
}

interface Way {
  readonly from: AssignorMember
  readonly to: AssignorMember
  readonly moves: readonly Move[]
}

function shortestWay(kind: (item: Item) => boolean, plan: Plan, placement: Placement): Way | null {
  const { counts } = placement
  // The fullest first, so that no move has to be taken back.
  const fullest = plan.members.toSorted((a, b) => countOf(counts, b) - countOf(counts, a))
  for (const from of fullest) {
    const to = searchFrom(from, kind, plan, placement)
    if (to !== null) return to
  }
  return null
}

/** A breadth-first search; of paths with the same length, it takes the one to the member with the fewest items. */
function searchFrom(from: AssignorMember, kind: (item: Item) => boolean, plan: Plan, placement: Placement): Way | null {
  const { counts } = placement
  const most = countOf(counts, from) - 2
  const ways = new Map<AssignorMember, readonly Move[]>([[from, []]])
  let frontier: readonly AssignorMember[] = [from]
  const byCount = plan.members.toSorted((a, b) => countOf(counts, a) - countOf(counts, b))
  while (frontier.length > 0) {
    const reached: AssignorMember[] = []
    for (const to of byCount.filter((member) => !ways.has(member))) {
      const step = firstStep(frontier, to, (at) => chooseItem(at, to, kind, { plan, placement }))
      if (step === null) continue
      const moves = [...present(ways.get(step.at), 'the way to a member'), { item: step.item, to }]
      if (countOf(counts, to) <= most) return { from, to, moves }
      ways.set(to, moves)
      reached.push(to)
    }
    frontier = reached
  }
  return null
}

function firstStep(
  frontier: readonly AssignorMember[],
  to: AssignorMember,
  choose: (at: AssignorMember) => Item | null,
): { readonly at: AssignorMember; readonly item: Item } | null {
  for (const at of frontier) {
    const item = at === to ? null : choose(at)
    if (item !== null) return { at, item }
  }
  return null
}

interface Context {
  readonly plan: Plan
  readonly placement: Placement
}

/**
 * Chooses the item to move: an item that does not run there yet, otherwise the one whose load is nearest to the load to
 * move, then one whose connector is on another member, then the last by name.
 */
function chooseItem(
  from: AssignorMember,
  to: AssignorMember,
  kind: (item: Item) => boolean,
  { plan, placement }: Context,
): Item | null {
  const items = plan.itemsOf(from).filter((item) => kind(item) && canRun(to, item))
  const excess = (loadOn(from, plan, placement) - loadOn(to, plan, placement)) / 2
  const surplus = Math.max(1, Math.ceil((countOf(placement.counts, from) - countOf(placement.counts, to)) / 2))
  const wanted = excess / surplus
  const cost = (item: Item): readonly number[] => [
    Number(plan.isRunning(item)),
    Math.abs(placement.loadOf(item) - wanted),
    Number(plan.holder(`c ${item.connector}`) === from),
  ]
  let best: { readonly item: Item; readonly costs: readonly number[] } | null = null
  for (const item of items) {
    const costs = cost(item)
    if (best === null || isLess(costs, best.costs, compareText(item.key, best.item.key) > 0)) best = { item, costs }
  }
  return best?.item ?? null
}

function isLess(a: readonly number[], b: readonly number[], otherwise: boolean): boolean {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? otherwise : (a[at] ?? 0) < (b[at] ?? 0)
}

function loadOn(member: AssignorMember, plan: Plan, { loadOf }: Placement): number {
  return plan.itemsOf(member).reduce((sum, item) => sum + loadOf(item), 0)
}
