import type { GroupView } from './group-view.ts'

/** The group of a worker that is alone: nothing is forwarded. */
export const SOLE_GROUP: GroupView = {
  isLeader: true,
  isSole: true,
  isSigned: true,
  leaderUrl: null,
  connectorOwnerUrl: () => null,
  taskOwnerUrl: () => null,
  ownsConnector: () => true,
  ownsTask: () => true,
  tasksMayRun: () => false,
  settled: () => Promise.resolve(),
  catchUp: () => Promise.resolve(),
}
