import { isDeepStrictEqual } from 'node:util'
import type { RawAnswer } from './raw-http.ts'
import type { RecordedAnswer, Step } from './scenario.ts'

/**
 * The differences between the recorded and the actual answer, a sentence each. The order of keys and of names, and the
 * content of error pages of Kafka Connect's HTTP server, are not compared.
 */
export function compareAnswers(step: Step, recorded: RecordedAnswer, answer: RawAnswer): readonly string[] {
  if (recorded.status !== answer.status) {
    return [`status ${recorded.status} expected, got ${answer.status} ${answer.body.slice(0, 300)}`]
  }
  if (step.compare === 'status' || isServerPage(recorded)) return []
  const differences = compareHeaders(recorded, answer)
  return step.compare === 'headers' ? differences : [...differences, ...compareBodies(step, recorded.body, answer.body)]
}

function compareHeaders(recorded: RecordedAnswer, answer: RawAnswer): readonly string[] {
  return ['content-type', 'allow', 'location'].flatMap((name) => {
    const expected = recorded.headers[name]
    const actual = answer.headers.get(name)
    return expected === actual ? [] : [`${name} ${expected} expected, got ${actual}`]
  })
}

function compareBodies(step: Step, recorded: string, answer: string): readonly string[] {
  const [expected, actual] = [recorded, answer].map((text) => parseJson(text.replaceAll(INSTANT, '$10')))
  const pattern = step.mask?.['message']?.replace(/^text:/, '')
  if (pattern !== undefined && new RegExp(pattern).test(messageOf(actual))) return []
  const isAlike = isDeepStrictEqual(withoutOrder(expected), withoutOrder(actual))
  return isAlike ? [] : [`body ${recorded.slice(0, 1000)} expected, got ${answer.slice(0, 1000)}`]
}

/** The time of a level's last change. */
const INSTANT = /("last_modified":)\d+/g

function isServerPage({ headers, body }: RecordedAnswer): boolean {
  return headers['content-type']?.startsWith('text/html') === true || body.startsWith('{\n"message"')
}

/** The document; the text itself when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function messageOf(document: unknown): string {
  return typeof document === 'object' && document !== null && 'message' in document ? String(document.message) : ''
}

function withoutOrder(document: unknown): unknown {
  if (Array.isArray(document) && document.every((item) => typeof item === 'string')) return document.toSorted()
  // This message contains a whole configuration, which Kafka Connect prints in the order of a Java hash map.
  const config = /^Connector config \{(.*)\} contains no connector type$/s.exec(messageOf(document))
  return config === null ? document : config[1]?.split(', ').toSorted()
}
