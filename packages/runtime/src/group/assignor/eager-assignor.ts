import type { Work } from '../protocol/work.ts'
import type { AssignorMember } from './assignor.ts'
import { compareText, itemsOf, sortedItems, workOf, type Item } from './items.ts'

export interface EagerInput {
  readonly members: readonly Pick<AssignorMember, 'memberId' | 'canRun'>[]
  readonly configured: Work
}

/**
 * Assigns all connectors and then all tasks in turn, as Kafka Connect does in version 0 of the protocol. Its members
 * have stopped everything before they join, so nothing is kept. Items that no member can run are assigned to nobody.
 */
export function assignEagerly({ members, configured }: EagerInput): ReadonlyMap<string, Work> {
  const sorted = members.toSorted((a, b) => compareText(a.memberId, b.memberId))
  const assigned = new Map<string, Item[]>(sorted.map(({ memberId }) => [memberId, []]))
  let next = 0
  for (const item of sortedItems(itemsOf(configured))) {
    for (let tries = 0; tries < sorted.length; tries += 1) {
      const member = sorted[next++ % sorted.length]
      if (member === undefined || member.canRun?.(item.connector) === false) continue
      assigned.get(member.memberId)?.push(item)
      break
    }
  }
  return new Map([...assigned].map(([memberId, items]) => [memberId, workOf(items)]))
}
