import { randomInt } from 'node:crypto'

/** Servers store `server_id` in 32 bits. */
export const SERVER_ID_MAX: number = 2 ** 32 - 1

/**
 * Draws the server id of a rehearsal: a random number of the upper half, where ids that people choose are rare, and not
 * the id of the connector. Another replica may have it; `tributary check` asks the server.
 */
export function randomServerId(original: Readonly<Record<string, string>>): number {
  for (;;) {
    const id = randomInt(2 ** 31, SERVER_ID_MAX)
    if (!isServerIdOf(original, id)) return id
  }
}

/** Whether the connector itself has this id, so that the server would end its connection. */
export function isServerIdOf(original: Readonly<Record<string, string>>, id: number): boolean {
  const own = original['database.server.id']?.trim() ?? ''
  return own !== '' && Number(own) === id
}
