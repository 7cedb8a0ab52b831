import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  runProgram,
  ServerProcess,
  type ServiceMachine,
  temporaryFolder,
  type TemporaryFolder,
} from '@tributary/testkit'

/** Namespaces of the network are root's. */
export const machinesUnavailable: string | false =
  process.getuid?.() === 0 ? false : 'machines with networks of their own need root (network namespaces of Linux)'

/**
 * Machines with two network cards each: one for the brokers, one for everything else. They are network namespaces; the
 * processes in them are those of this machine. This machine is on both networks, with the address 1.
 *
 * ```
 *   this machine ──┬── brokers: 198.18.r.0/24 ───┬─────────┬──▶ cut() makes one port drop every frame
 *                  └── others:  198.19.r.0/24 ─┬─│───────┬─│
 *                                            machine 0  machine 1
 * ```
 *
 * A cut looks like one in the middle of the network: no side sees its cable unplugged, no connection is reset.
 *
 * Each namespace exists as long as a process that holds it, and these end with this process: nothing is left over.
 */
export class Machines implements AsyncDisposable {
  readonly all: readonly ServiceMachine[]
  /** Of this machine, for servers. */
  readonly brokersAddress: string
  readonly othersAddress: string
  readonly #stack: AsyncDisposableStack
  readonly #switches: Namespace

  private constructor(
    stack: AsyncDisposableStack,
    switches: Namespace,
    subnet: number,
    machines: readonly Namespace[],
  ) {
    this.#stack = stack
    this.#switches = switches
    this.brokersAddress = `${NETWORKS.brokers}.${subnet}.1`
    this.othersAddress = `${NETWORKS.others}.${subnet}.1`
    this.all = machines.map(({ launcher }, index) => ({
      launcher,
      address: `${NETWORKS.others}.${subnet}.${FIRST_HOST + index}`,
    }))
  }

  static async create(count: number): Promise<Machines> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(temporaryFolder('machines'))
    const subnet = randomInt(1, 255)
    const switches = stack.use(await Namespace.create(folder, 'switches'))
    for (const network of ['brokers', 'others'] as const) {
      const port = `t${process.pid}${network[0] ?? ''}`
      await switches.run(['ip', 'link', 'add', network, 'type', 'bridge'], ['ip', 'link', 'set', network, 'up'])
      await run(['ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', port, 'netns', String(switches.pid)])
      await switches.plug(network, port)
      await run(['ip', 'address', 'add', `${NETWORKS[network]}.${subnet}.1/24`, 'dev', port])
      await run(['ip', 'link', 'set', port, 'up'])
    }
    const machines: Namespace[] = []
    for (let index = 0; index < count; index += 1) {
      const machine = stack.use(await Namespace.create(folder, `machine-${index}`))
      await machine.run(['ip', 'link', 'set', 'lo', 'up'])
      for (const network of ['brokers', 'others'] as const) {
        const port = `${network}${index}`
        const peer = ['peer', 'name', network, 'netns', String(machine.pid)]
        await switches.run(['ip', 'link', 'add', port, 'type', 'veth', ...peer])
        await switches.plug(network, port)
        const address = `${NETWORKS[network]}.${subnet}.${FIRST_HOST + index}/24`
        await machine.run(['ip', 'address', 'add', address, 'dev', network], ['ip', 'link', 'set', network, 'up'])
      }
      machines.push(machine)
    }
    return new Machines(stack.move(), switches, subnet, machines)
  }

  /** From now on every packet between the machine and the brokers is lost, in both directions. */
  async cutFromBrokers(index: number): Promise<void> {
    await this.#switches.run(['bridge', 'link', 'set', 'dev', `brokers${index}`, 'state', 'disabled'])
  }

  async reconnect(index: number): Promise<void> {
    await this.#switches.run(['bridge', 'link', 'set', 'dev', `brokers${index}`, 'state', 'forwarding'])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

/** For tests of networks (RFC 2544): used nowhere else. */
const NETWORKS = { brokers: '198.18', others: '198.19' } as const
const FIRST_HOST = 11

/** A network namespace, held by a process. */
class Namespace implements AsyncDisposable {
  readonly #holder: ServerProcess

  private constructor(holder: ServerProcess) {
    this.#holder = holder
  }

  static async create(folder: TemporaryFolder, name: string): Promise<Namespace> {
    const own = readlinkSync('/proc/self/ns/net')
    const holder: ServerProcess = await ServerProcess.start({
      name,
      program: 'unshare',
      args: ['--net', 'sleep', 'infinity'],
      packageName: 'util-linux',
      logFile: join(folder.path, `${name}.log`),
      isReady: () => Promise.resolve(true),
    })
    const namespace = new Namespace(holder)
    while (readlinkSync(`/proc/${holder.pid}/ns/net`) === own) await new Promise(setImmediate)
    return namespace
  }

  get pid(): number {
    return this.#holder.pid
  }

  get launcher(): readonly string[] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, '--']
  }

  async run(...commands: readonly (readonly string[])[]): Promise<void> {
    for (const command of commands) await run([...this.launcher, ...command])
  }

  /** Connects a cable to a switch. */
  async plug(network: string, port: string): Promise<void> {
    await this.run(['ip', 'link', 'set', port, 'master', network], ['ip', 'link', 'set', port, 'up'])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#holder.kill('SIGKILL')
  }
}

async function run([program = '', ...args]: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram(program, args, { packageName: 'iproute2' })
  assert.equal(code, 0, `${program} ${args.join(' ')}: ${stderr}`)
}
