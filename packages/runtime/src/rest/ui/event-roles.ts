import type { EventReadersSetting } from '../../config/rest-settings.ts'
import type { Role } from '../access/logins.ts'

/** Who may read records of topics, by the value of `ui.events`. */
export const EVENT_ROLES: Readonly<Record<EventReadersSetting, ReadonlySet<Role>>> = {
  full: new Set(['full']),
  all: new Set(['full', 'read-only']),
  none: new Set(),
}
