import type { ConfigMap } from '@tributary/connect-api'

/** Transformations of Kafka Connect that change nothing but headers, which comparisons do not read. */
const HEADERS_ONLY = /^org\.apache\.kafka\.connect\.transforms\.(InsertHeader|DropHeaders)$/
const HEADER_FROM = /^org\.apache\.kafka\.connect\.transforms\.HeaderFrom\$(Key|Value)$/

/** The names of the transformations of a connector that may change topics, keys or values, or drop records. */
export function changingTransformations(config: ConfigMap): readonly string[] {
  const names = (config['transforms'] ?? '').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '' && !changesHeadersOnly(name, config))
}

function changesHeadersOnly(name: string, config: ConfigMap): boolean {
  const type = config[`transforms.${name}.type`]?.trim() ?? ''
  return (
    HEADERS_ONLY.test(type) || (HEADER_FROM.test(type) && config[`transforms.${name}.operation`]?.trim() === 'copy')
  )
}
