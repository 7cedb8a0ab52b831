import { present } from '@tributary/support'
import type { AssignorMember } from './assignor.ts'
import { compareText, type Item } from './items.ts'

/** Which member runs each item when the rebalances are over. It knows the items that run there already. */
export class Plan {
  /** The members that may get work, in a fixed order. */
  readonly members: readonly AssignorMember[]
  readonly #holdings = new Map<AssignorMember, Map<string, Item>>()
  readonly #holders = new Map<string, AssignorMember>()
  /** The items that already run on their planned member. Only moving one of these interrupts a running item. */
  readonly #running = new Set<string>()

  constructor(members: readonly AssignorMember[]) {
    this.members = members
      .filter(({ isLeaving }) => !isLeaving)
      .toSorted((a, b) => compareText(a.worker, b.worker) || compareText(a.memberId, b.memberId))
    for (const member of this.members) this.#holdings.set(member, new Map())
  }

  /** The item runs on the member and may stay there. */
  keep(item: Item, member: AssignorMember): void {
    this.#running.add(item.key)
    this.move(item, member)
  }

  move(item: Item, to: AssignorMember): void {
    const from = this.#holders.get(item.key)
    if (from !== undefined) this.#holdingsOf(from).delete(item.key)
    if (from !== undefined && from !== to) this.#running.delete(item.key)
    this.#holders.set(item.key, to)
    this.#holdingsOf(to).set(item.key, item)
  }

  isRunning(item: Item): boolean {
    return this.#running.has(item.key)
  }

  holder(key: string): AssignorMember | null {
    return this.#holders.get(key) ?? null
  }

  itemsOf(member: AssignorMember): readonly Item[] {
    return [...this.#holdingsOf(member).values()]
  }

  #holdingsOf(member: AssignorMember): Map<string, Item> {
    return present(this.#holdings.get(member), 'the holdings of a member of the plan')
  }
}

export function canRun(member: AssignorMember, item: Item): boolean {
  return member.canRun?.(item.connector) ?? true
}
