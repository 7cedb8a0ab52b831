import type { Step } from './result.ts'

export interface MoveOptions {
  readonly connector: string
  /** Address of Kafka Connect, without credentials; null: only its topics are known. */
  readonly from: string | null
  /** Address of the Tributary worker that will run the connector. */
  readonly to: string
}

/**
 * The commands that move a connector, and those that bring it back, for a shell with curl. They need the requests for
 * offsets of Kafka Connect 3.6. The connector stays in Kafka Connect, stopped, with its configuration.
 */
export function moveSteps({ connector, from, to }: MoveOptions): {
  readonly move: readonly Step[]
  readonly back: readonly Step[]
} {
  const path = `/connectors/${pathSegment(connector)}`
  const source = `${quoted(from ?? 'http://CONNECT:8083')}${path}`
  const target = `${quoted(to)}${path}`
  const file = shellWord(`${connector}`.replaceAll(/[^\w.-]/g, '_'))
  return {
    move: [
      step('Stop the connector in Kafka Connect. It stores its last offset', `curl -fsS -X PUT ${source}/stop`),
      step('Wait until it has stopped', waitFor(source)),
      step(
        'Save its configuration, with its references to secrets',
        `curl -fsS ${source}/config > ${file}.config.json`,
      ),
      step('Save its offset', `curl -fsS ${source}/offsets > ${file}.offsets.json`),
      step('Register it here, stopped', create(connector, file, to)),
      step('Store the offset here', patch(target, file)),
      step('Start it here', `curl -fsS -X PUT ${target}/resume`),
    ],
    back: [
      step('Stop the connector here. It stores its last offset', `curl -fsS -X PUT ${target}/stop`),
      step('Wait until it has stopped', waitFor(target)),
      step('Save its offset', `curl -fsS ${target}/offsets > ${file}.offsets.json`),
      step('Store the offset in Kafka Connect, where the connector is still registered', patch(source, file)),
      step('Start it there', `curl -fsS -X PUT ${source}/resume`),
      step('When it runs there, remove it here', `curl -fsS -X DELETE ${target}`),
    ],
  }
}

function step(text: string, command: string): Step {
  return { text, command }
}

function waitFor(connector: string): string {
  return `until curl -fsS ${connector}/status | grep -q '"state":"STOPPED".*"tasks":\\[\\]'; do sleep 1; done`
}

function create(connector: string, file: string, to: string): string {
  const name = JSON.stringify(connector).replaceAll("'", String.raw`'\''`)
  const document = `{ printf '%s' '{"name":${name},"initial_state":"STOPPED","config":'; cat ${file}.config.json; printf '}'; }`
  return `${document} | curl -fsS -X POST -H 'Content-Type: application/json' -d @- ${quoted(to)}/connectors`
}

function patch(connector: string, file: string): string {
  return `curl -fsS -X PATCH -H 'Content-Type: application/json' -d @${file}.offsets.json ${connector}/offsets`
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) && !text.startsWith('-') ? text : 'connector'
}

/** Also with the characters that a URL may have and a shell interprets. */
function pathSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function quoted(address: string): string {
  return /^[\w.:/%-]+$/.test(address) ? address : `'${address.replaceAll("'", String.raw`'\''`)}'`
}
