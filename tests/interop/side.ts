/** Which of the two systems runs a connector. */
export type Side = 'tributary' | 'connect'

/** Who wrote an event, by its `source.version`: Debezium's are called `….Final`. */
export function sideOf(version: string): Side {
  return version.endsWith('.Final') ? 'connect' : 'tributary'
}
