import { once } from 'node:events'
import { connect } from 'node:net'

export interface PartitionReplicas {
  readonly partition: number
  readonly replicas: readonly number[]
}

/**
 * Assigns other replicas to partitions. If the leader is no longer among them, one of them becomes the leader. Kafka's
 * own tool does the same, but starts a JVM for each call.
 */
export async function reassign(server: string, topic: string, partitions: readonly PartitionReplicas[]): Promise<void> {
  const [host, port] = server.split(':')
  const socket = connect(Number(port), host)
  try {
    socket.write(reassignment(topic, partitions))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    // int32 size · int32 correlation id · tags · int32 throttle time · int16 error code
    const errorCode = answer.readInt16BE(4 + 4 + 1 + 4)
    if (errorCode !== 0) throw new Error(`reassigning the partitions of ${topic}: error ${errorCode}`)
  } finally {
    socket.destroy()
  }
}

/**
 * AlterPartitionReassignments, version 0: int32 timeout · compact array of topics (compact string name · compact array
 * of partitions (int32 index · compact array of int32 replicas · tags) · tags) · tags. Its header is version 2.
 */
function reassignment(topic: string, partitions: readonly PartitionReplicas[]): Buffer {
  const name = Buffer.from(topic)
  const list = partitions.map(({ partition, replicas }) =>
    Buffer.concat([int32(partition), Buffer.of(replicas.length + 1), ...replicas.map(int32), NO_TAGS]),
  )
  const header = Buffer.concat([int16(API_KEY), int16(0), int32(1), int16(-1), NO_TAGS])
  const topics = [Buffer.of(2), Buffer.of(name.length + 1), name, Buffer.of(list.length + 1), ...list, NO_TAGS]
  const request = Buffer.concat([header, int32(30_000), ...topics, NO_TAGS])
  return Buffer.concat([int32(request.length), request])
}

const API_KEY = 45
const NO_TAGS = Buffer.of(0)

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
