import { randomBytes } from 'node:crypto'
import type { PlannedMove, Step } from './result.ts'

/** The address of a worker. */
export interface Address {
  /** Without credentials and without a slash at its end. */
  readonly url: string
  /** The worker needs a name and password. The commands do not contain them: curl reads them from ~/.netrc. */
  readonly hasLogin: boolean
}

export interface MoveOptions {
  readonly connector: string
  /** Kafka Connect; null: only its topics are known. */
  readonly from: Address | null
  /** The Tributary worker that will run the connector. */
  readonly to: Address
  /** The release of Kafka Connect, as `GET /` says; null: unknown. */
  readonly version: string | null
  /** Properties of the rehearsal that the connector's configuration lacks, without those with secrets. */
  readonly added: Readonly<Record<string, string>>
  /** Names of such properties with secrets. */
  readonly secret: readonly string[]
  /** Default: a random one. Makes the names of the files unique. */
  readonly id?: string
}

/**
 * The commands that move a connector, and those that bring it back, for a shell with curl. They need the requests for
 * offsets of Kafka Connect 3.6. The connector stays in Kafka Connect, stopped, with its configuration. Each command
 * fails if its precondition is missing, and none may be run after one that has failed: a connector that starts without
 * its offset takes a new snapshot.
 */
export function moveSteps(options: MoveOptions): PlannedMove {
  const reason = impossible(options)
  if (reason !== null) return { move: [], back: [], move_notes: [reason] }
  const { connector, from, to, added, secret, version, id = randomBytes(4).toString('hex') } = options
  if (from === null) throw new Error('without an address there are no commands')
  const path = `/connectors/${pathSegment(connector)}`
  const source = new Side(from, path)
  const target = new Side(to, path)
  const files = `${fileName(connector)}-${id}`
  return {
    move: [
      step(
        'Save the configuration, with its references to secrets, for you alone',
        `(umask 077 && ${source.curl('/config')} > ${files}.config.json)`,
      ),
      step('Register it here, stopped', create(connector, files, to)),
      ...additions(target, added),
      step('Stop the connector in Kafka Connect. It stores its last offset', source.curl('/stop', 'PUT')),
      step('Wait until it has stopped', waitFor(source, STOPPED)),
      ...handOver(source, target, `${files}.offsets`),
      step('Start it here', target.curl('/resume', 'PUT')),
    ],
    back: [
      step('Stop the connector here. It stores its last offset', target.curl('/stop', 'PUT')),
      step('Wait until it has stopped', waitFor(target, STOPPED)),
      ...handOver(target, source, `${files}.back.offsets`),
      step('Start it in Kafka Connect, where it is still registered', source.curl('/resume', 'PUT')),
      step('Wait until it runs there', waitFor(source, RUNNING)),
      step('Remove it here', target.curl('', 'DELETE')),
    ],
    move_notes: [
      `When a command of the move fails, nothing after it runs. Then resume the connector in Kafka Connect (${source.curl('/resume', 'PUT')}), and delete it here before you begin again (${target.curl('', 'DELETE')}).`,
      ...(version === null ? ['The release of Kafka Connect is unknown: the commands need 3.6.'] : []),
      ...[from, to]
        .filter(({ hasLogin }) => hasLogin)
        .map(({ url }) => `For ${url} curl reads the name and password from ~/.netrc.`),
      ...secret.map(
        (property) =>
          `${property} of the rehearsal contains a secret, and is not in the commands: the worker has to resolve the property of the connector, or add it here before the connector starts.`,
      ),
    ],
  }
}

/** The reason why there are no commands; null: there are commands. */
function impossible({ from, version }: MoveOptions): string | null {
  const group =
    'move the whole group, by ending Kafka Connect and starting Tributary with its group.id and its internal topics'
  if (from === null) {
    return `There are no commands to move the connector, because they need the REST interface of Kafka Connect: rehearse with --from, or ${group}.`
  }
  if (version === null || hasOffsetRequests(version)) return null
  return `There are no commands to move the connector, because Kafka Connect ${version} cannot change offsets (3.6 can): update it, or ${group}.`
}

/** Releases of Confluent Platform (`7.6.0-ccs`) have numbers of their own: 7.6 has Kafka 3.6, 8.0 has 4.0. */
function hasOffsetRequests(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  if (Number.isNaN(major) || Number.isNaN(minor)) return true
  const kafka = /-(ccs|ce)/.test(version) ? major - CONFLUENT_AHEAD : major
  return kafka > 3 || (kafka === 3 && minor >= 6)
}

const CONFLUENT_AHEAD = 4

/** The connector on one of the two sides. */
class Side {
  readonly #address: Address
  readonly #path: string

  constructor(address: Address, path: string) {
    this.#address = address
    this.#path = path
  }

  curl(path: string, method: 'GET' | 'PUT' | 'DELETE' = 'GET'): string {
    const verb = method === 'GET' ? '' : ` -X ${method}`
    return `${curlTo(this.#address)}${verb} ${this.#url(path)}`
  }

  /** A request with a body, which may be the name of a file. */
  patch(path: string, body: string): string {
    return `${curlTo(this.#address)} -X PATCH ${JSON_BODY} -d ${body} ${this.#url(path)}`
  }

  #url(path: string): string {
    return quoted(`${this.#address.url}${this.#path}${path}`)
  }
}

const JSON_BODY = `-H 'Content-Type: application/json'`

function curlTo({ hasLogin }: Address): string {
  return hasLogin ? 'curl --netrc -fsS' : 'curl -fsS'
}

function step(text: string, command: string): Step {
  return { text, command }
}

const STOPPED = String.raw`'"state":"STOPPED".*"tasks":\[\]'`
const RUNNING = String.raw`'"connector":{"state":"RUNNING".*"tasks":\[{[^]]*"state":"RUNNING"'`

/** Runs in a shell of its own, which it may end. */
function waitFor(side: Side, pattern: string): string {
  const late = `{ echo 'not within ${WAIT_SECONDS} s' >&2; exit 1; }`
  return `(i=0; until ${side.curl('/status')} | grep -q ${pattern}; do i=$((i+1)); [ $i -le ${WAIT_SECONDS} ] || ${late}; sleep 1; done)`
}

const WAIT_SECONDS = 120

function create(connector: string, files: string, to: Address): string {
  const start = singleQuoted(`{"name":${asciiJson(connector)},"initial_state":"STOPPED","config":`)
  const document = `{ printf '%s' ${start}; cat ${files}.config.json; printf '}'; }`
  return `[ -s ${files}.config.json ] && ${document} | ${curlTo(to)} -X POST ${JSON_BODY} -d @- ${quoted(`${to.url}/connectors`)}`
}

/** Notes about properties from --set or from the worker's own configuration. */
function additions(target: Side, added: Readonly<Record<string, string>>): readonly Step[] {
  const names = Object.keys(added)
  if (names.length === 0) return []
  const body = singleQuoted(asciiJson(added))
  return [
    step(
      `Add what the rehearsal had besides that configuration: ${names.join(', ')}`,
      `printf '%s' ${body} | ${target.patch('/config', '@-')}`,
    ),
  ]
}

/** Copies the offset and checks that it is stored: without an offset, a start takes a new snapshot. */
function handOver(from: Side, to: Side, file: string): readonly Step[] {
  const places = `grep -oE '"(file|pos|row|event)":("[^"]*"|[0-9]+)'`
  return [
    step('Save its offset', `${from.curl('/offsets')} > ${file}.json && grep -q '"file":' ${file}.json`),
    step('Store the offset on the other side', to.patch('/offsets', `@${file}.json`)),
    step(
      'Compare what is stored there with it',
      `${places} ${file}.json | sort > ${file}.saved && ${to.curl('/offsets')} | ${places} | sort | cmp - ${file}.saved`,
    ),
  ]
}

/** A part of a name that has no special meaning in any shell or file system. */
function fileName(connector: string): string {
  return `tributary-${connector.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, NAME_CHARACTERS)}`
}

const NAME_CHARACTERS = 80

/** Also with the characters that a URL may have and a shell interprets. */
function pathSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function quoted(address: string): string {
  return /^[\w.:/%-]+$/.test(address) ? address : singleQuoted(address)
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A terminal shows other characters in another form, so pasting would change them. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\u0020-\u007E]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
