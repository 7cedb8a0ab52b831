import { ConfigDef } from '@tributary/connect-api'
import { readSessionKeySettings, sessionKeyKeys } from '../config/session-key-settings.ts'
import { SOLE_GROUP } from '../group/sole-group.ts'
import type { InternalSettings } from '../herder/internal-requests.ts'

/** The internal requests of a worker that is alone, with the default settings. */
export function soleInternal(): InternalSettings {
  const sessionKeys = readSessionKeySettings(new ConfigDef(sessionKeyKeys).parse({}))
  return { sessionKeys, group: SOLE_GROUP, hasLogins: false }
}
