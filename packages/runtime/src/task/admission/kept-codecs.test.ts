import { kafkaErrors, type CodecSample } from '@tributary/kafka'
import { captureLogger, type CaptureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptCodecs } from './kept-codecs.ts'

const signal = new AbortController().signal

function fixture(
  answer: () => Promise<CodecSample | null>,
  isOn = true,
): { codecs: KeptCodecs; logger: CaptureLogger } {
  const logger = captureLogger()
  return { codecs: new KeptCodecs({ reader: { lastCodecs: answer }, isOn, logger }), logger }
}

function sample(codecs: readonly CodecSample['last'][], lz4Share = 0.25): CodecSample {
  return { codecs: new Set(codecs), last: codecs.at(-1) ?? 'none', lz4Share }
}

test('a topic keeps the codec of its last batches, unless one has LZ4 or the topic is empty', async () => {
  const table: readonly (readonly [CodecSample | null, string | undefined])[] = [
    [sample(['none']), 'none'],
    [sample(['none', 'gzip']), 'gzip'],
    [sample(['zstd']), 'zstd'],
    [sample(['lz4']), undefined],
    [sample(['lz4', 'none']), undefined],
    [null, undefined],
  ]
  for (const [found, kept] of table) {
    const { codecs, logger } = fixture(() => Promise.resolve(found))
    assert.equal(await codecs.codecFor('t', signal), kept)
    assert.equal(logger.lines.length, kept === undefined ? 0 : 1)
  }
})

test('the log reports what LZ4 would save, and ends after ten topics', async () => {
  const { codecs, logger } = fixture(() => Promise.resolve(sample(['none'])))
  for (let i = 0; i < 15; i++) await codecs.codecFor(`t${i}`, signal)
  assert.equal(logger.lines.length, 10)
  assert.equal(
    logger.lines[0]?.message,
    'Topic t0 keeps the codec of its last batches, none, so that its consumers can read on. LZ4 would make its last batches 75 % smaller: producer.override.compression.type=lz4 of the connector chooses it',
  )
  assert.match(logger.lines[9]?.message ?? '', /Further topics are not logged$/)
})

test('an account that may not read its topics writes with the default, after one warning', async () => {
  const denied = kafkaErrors.NOT_AUTHORIZED({ request: 'Fetch', subject: 't-0', error: 'TOPIC_AUTHORIZATION_FAILED' })
  const { codecs, logger } = fixture(() => Promise.reject(denied))
  assert.equal(await codecs.codecFor('t', signal), undefined)
  assert.equal(await codecs.codecFor('u', signal), undefined)
  assert.deepEqual(
    logger.lines.map(({ level, message }) => [level, message.slice(0, 30)]),
    [['warn', 'The codec of topic t is not kn']],
  )
})

test('a new connector, and one with a codec of its own, ask nothing', async () => {
  const { codecs } = fixture(() => assert.fail('no topic is read'), false)
  assert.equal(await codecs.codecFor('t', signal), undefined)
})
