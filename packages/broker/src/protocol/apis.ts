import type { ApiName } from './message-types.ts'
import type { MessageSchema } from './message-codec.ts'
import { messages } from './messages.table.ts'

/** A request that the broker answers. */
export interface Api {
  readonly name: ApiName
  readonly key: number
  readonly versionMin: number
  readonly versionMax: number
  readonly request: MessageSchema
  readonly response: MessageSchema
}

export const apis: ReadonlyMap<number, Api> = new Map(
  (Object.keys(messages) as ApiName[]).map((name) => {
    const { key, versions, flexibleFrom, request, response } = messages[name]
    const api: Api = {
      name,
      key,
      versionMin: versions[0],
      versionMax: versions[1],
      request: { fields: request, flexibleFrom },
      response: { fields: response, flexibleFrom },
    }
    return [key, api]
  }),
)

/** Whether the version has compact lengths and tagged fields, which the header has as well. */
export function isFlexible({ request }: Api, version: number): boolean {
  return request.flexibleFrom !== null && version >= request.flexibleFrom
}
