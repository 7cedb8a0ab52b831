import { join } from 'node:path'
import { eventually, runProgram, unpackedDebian } from '@tributary/testkit'
import { linesOf } from './client-work.ts'
import { sortedLines } from './sorted-lines.ts'

/** Runs Debian's kcat, a program with librdkafka. */
async function kcat(args: readonly string[], input?: string): Promise<readonly string[]> {
  const folder = await unpackedDebian('kcat', ['kcat'], { exclude: /^(libc6|libgcc-s1|gcc-12-base|libcrypt1)$/ })
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu')
  const env = { LD_LIBRARY_PATH: libraries }
  return linesOf(runProgram(join(folder, 'usr/bin/kcat'), args, input === undefined ? { env } : { env, input }))
}

const FORMAT = String.raw`%p/%o %k %s %h\n`

/** Works with a broker through kcat: metadata, producers with every codec, transactions, readers, a group. */
export async function kcatWork(server: string, prefix: string): Promise<readonly string[]> {
  const lines: string[] = []
  const topic = `${prefix}orders`
  const at = ['-b', server]
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
    const records = Array.from({ length: 200 }, (_, i) => `key ${i}:${codec} ${i}\n`).join('')
    const idempotent = ['-X', 'enable.idempotence=true', '-X', 'topic.partitioner=murmur2_random']
    await kcat([...at, '-P', '-t', topic, '-K:', '-z', codec, '-H', 'h=header', ...idempotent], records)
  }
  await kcat([...at, '-P', '-t', topic, '-X', 'acks=1'], 'acks 1\n')
  await kcat([...at, '-P', '-t', topic, '-X', 'acks=0'], 'acks 0\n')

  const read = [...at, '-C', '-q', '-e', '-o', 'beginning', '-f', FORMAT]
  await eventually('the record without an acknowledgement is there', async () => {
    return (await kcat([...read, '-t', topic])).length === 1002
  })
  lines.push(`read: ${sortedLines(await kcat([...read, '-t', topic]))}`)
  const [offset] = await kcat([...at, '-Q', '-t', `${topic}:0:0`])
  lines.push(`offset of a time: ${offset?.replace(prefix, '')}`)
  const transactional = ['-X', `transactional.id=${prefix}kcat`]
  await kcat([...at, '-P', '-t', `${prefix}payments`, ...transactional], 'one\ntwo\nthree\n')
  const committed = ['-X', 'isolation.level=read_committed']
  lines.push(...(await kcat([...read, ...committed, '-t', `${prefix}payments`])))

  const group = [...at, '-q', '-e', '-f', FORMAT, '-X', 'auto.offset.reset=earliest', '-G', `${prefix}group`, topic]
  lines.push(`in a group: ${sortedLines(await kcat(group))}`)
  lines.push(`again: ${(await kcat(group)).join()}`)
  const metadata = await kcat([...at, '-L', '-t', topic])
  lines.push(...metadata.filter((line) => line.includes('partition')).map((line) => line.replace(prefix, '').trim()))
  return lines
}
