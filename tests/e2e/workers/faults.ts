import { eventually, kafkaClient, type KafkaServer, runKafkaTool, type Service } from '@tributary/testkit'
import type { Crew } from './crew.ts'
import type { Machines } from './machines.ts'

/** What a fault has to do with. */
export interface Scene {
  readonly crew: Crew
  readonly kafka: KafkaServer
  readonly machines: Machines
  /** Counted from 0 for each fault. */
  readonly run: number
  /** Multiplies limits of time. */
  readonly slowness: number
}

/** What remains to be done when a fault has had its effect. */
export interface Aftermath {
  /** Undoes it. Default: nothing is left to be undone. */
  readonly repair?: () => Promise<unknown>
  /** The worker that has lost its work meanwhile. */
  readonly victim?: Service
  /** Its connections to the database are open. */
  readonly isConnected?: boolean
}

/** Causes something. Resolves when the workers can do something about it. */
export type Fault = (scene: Scene) => Promise<Aftermath>

const killed: Fault = async ({ crew }) => {
  const victim = await workerOf(crew, (worker, leader) => worker !== leader)
  await victim.kill()
  return { victim, repair: () => victim.start() }
}

const leaderKilled: Fault = async ({ crew }) => {
  const victim = await workerOf(crew, (worker, leader) => worker === leader)
  await victim.kill()
  return { victim, repair: () => victim.start() }
}

/** In turn a follower and the leader. */
const frozen: Fault = async ({ crew, run }) => {
  const victim = await workerOf(crew, (worker, leader) => (worker === leader) === (run % 2 === 1))
  const log = victim.log.length
  process.kill(victim.pid, 'SIGSTOP')
  const repair = (): Promise<string> => {
    process.kill(victim.pid, 'SIGCONT')
    return victim.waitForLog(JOINED_AGAIN, log)
  }
  return { victim, repair, isConnected: true }
}

/** In turn a follower and the leader. It still reaches the database and the other workers. */
const cut: Fault = async ({ crew, machines, run }) => {
  const victim = await workerOf(crew, (worker, leader) => (worker === leader) === (run % 2 === 1))
  const index = crew.workers.indexOf(victim)
  const log = victim.log.length
  await machines.cutFromBrokers(index)
  const repair = async (): Promise<string> => {
    await machines.reconnect(index)
    return victim.waitForLog(JOINED_AGAIN, log)
  }
  return { victim, repair, isConnected: true }
}

const stopped: Fault = async ({ crew }) => {
  const victim = await workerOf(crew, () => true)
  await victim.stop()
  return { victim, repair: () => victim.start() }
}

/** The broker that coordinates the group: the leader of the only partition of its topic. */
const coordinatorLost: Fault = async ({ kafka, slowness }) => {
  await using admin = (await kafkaClient(kafka.internalServers)).admin()
  const groups = await admin.describeTopic('__consumer_offsets')
  const coordinator = kafka.brokers.find(({ nodeId }) => nodeId === groups?.partitions[0]?.leader)
  if (coordinator === undefined) throw new Error('no broker coordinates the group')
  await coordinator.kill('SIGKILL')
  if (kafka.brokers.length === 1) {
    await coordinator.start()
    return {}
  }
  const repair = async (): Promise<void> => {
    await coordinator.start()
    await untilReplicated(kafka, 120_000 * slowness)
  }
  return { repair }
}

const rollingRestart: Fault = async ({ crew }) => {
  for (const worker of crew.workers) {
    await worker.stop()
    await worker.start()
  }
  return {}
}

export const STORM_WRITES = 200

/** Writes on two workers while the third one stops and starts again. */
const configStorm: Fault = async ({ crew, slowness }) => {
  const [first, second, third] = [crew.worker(0), crew.worker(1), crew.worker(2)]
  const stopping = third.stop()
  const count = crew.connectors.length
  const writes = Array.from({ length: STORM_WRITES }, (_, i) => {
    const name = crew.connectors[i % count] ?? ''
    const config = { ...crew.config(name), 'max.batch.size': String(2_000 + Math.floor(i / count)) }
    const worker = i % 2 === 0 ? first : second
    return eventually(
      `write ${i} is accepted`,
      async () => (await worker.rest('PUT', `/connectors/${name}/config`, config)).status === 200,
      { timeoutMs: 60_000 * slowness, everyMs: 250 },
    )
  })
  await stopping
  await Promise.all([...writes, third.start()])
  return {}
}

/** With the seconds that no event may take longer for, on a machine without other work. */
export const faults: readonly (readonly [name: string, fault: Fault, limit: 'session' | number])[] = [
  ['kill -9 of a worker', killed, 'session'],
  ['kill -9 of the leader', leaderKilled, 'session'],
  ['SIGSTOP beyond the session, SIGCONT', frozen, 'session'],
  ['a worker cut off from the brokers', cut, 'session'],
  ['SIGTERM', stopped, 5],
  ["loss of the coordinator's broker", coordinatorLost, 60],
  ['a rolling restart', rollingRestart, 20],
  [`${STORM_WRITES} writes during a rebalance`, configStorm, 60],
]

const JOINED_AGAIN = /Joined group .* again/

/** A worker that runs tasks and about whose leadership the condition holds. */
async function workerOf(crew: Crew, condition: (worker: Service, leader: Service) => boolean): Promise<Service> {
  const leader = leaderOf(crew)
  const counts = await crew.tasksByWorker(leader)
  const found = crew.workers.find((worker) => condition(worker, leader) && (counts[worker.workerId] ?? 0) > 0)
  if (found === undefined) throw new Error('no such worker runs tasks')
  return found
}

/** Each worker logs rounds that concern it; the one of the latest round knows the leader. */
function leaderOf(crew: Crew): Service {
  const rounds = crew.workers.flatMap(({ log }) =>
    [...log.matchAll(/Group round (\d+):.* leader http:\/\/([\d.:]+)/g)].map((match) => ({
      generation: Number(match[1]),
      leader: match[2] ?? '',
    })),
  )
  const latest = rounds.reduce((best, each) => (each.generation >= best.generation ? each : best), {
    generation: 0,
    leader: '',
  })
  return crew.workers.find(({ workerId }) => workerId === latest.leader) ?? crew.worker(0)
}

/** Otherwise the loss of the next broker would be one of data. */
function untilReplicated({ internalServers }: KafkaServer, timeoutMs: number): Promise<unknown> {
  const args = ['--bootstrap-server', internalServers.join(','), '--describe', '--under-replicated-partitions']
  return eventually(
    'all replicas are in sync',
    async () => {
      const { code, stdout } = await runKafkaTool('org.apache.kafka.tools.TopicCommand', args)
      return code === 0 && stdout.trim() === ''
    },
    { timeoutMs, everyMs: 500 },
  )
}
