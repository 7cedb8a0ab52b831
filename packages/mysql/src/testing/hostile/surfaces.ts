import { events, packets } from './event-surfaces.ts'
import { binaryRows, resultPackets, textRows } from './result-surfaces.ts'
import type { Surface } from './surface.ts'
import { ddl, gtidSets } from './text-surfaces.ts'
import { decimals, json, jsonChanges, tableMaps } from './value-surfaces.ts'

/** Everything that reads what a server sends. */
export const surfaces: readonly Surface[] = [
  events,
  json,
  ddl,
  jsonChanges,
  events,
  tableMaps,
  textRows,
  decimals,
  events,
  binaryRows,
  packets,
  resultPackets,
  gtidSets,
]
