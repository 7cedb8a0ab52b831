import { randomBytes } from 'node:crypto'

/** A name that no other test has: for topics, databases, groups and client ids on shared servers. Lower case letters, digits and `_`. */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(4).toString('hex')}`
}
