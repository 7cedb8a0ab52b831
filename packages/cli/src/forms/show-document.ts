import { shownValue } from '@tributary/runtime'
import { visibleJson } from '@tributary/support'
import type { ConnectorDocument } from './connector-document.ts'

/** The document of the REST interface. Secrets are `[hidden]`, but references to config providers are not. */
export function documentJson({ name, config, initialState }: ConnectorDocument): Readonly<Record<string, unknown>> {
  const shown = Object.entries(config).map(([property, value]) => [property, shownValue(property, value)])
  return {
    name,
    config: Object.fromEntries(shown) as unknown,
    ...(initialState === undefined ? {} : { initial_state: initialState }),
  }
}

/** The JSON that a document of another form became, for people; nothing for JSON. */
export function renderDocument(document: ConnectorDocument): string {
  if (document.form === 'json') return ''
  return `${visibleJson(JSON.stringify(documentJson(document), undefined, 2))}\n`
}
