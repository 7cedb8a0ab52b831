import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestBatcher } from './request-batcher.ts'

/** A batcher whose requests the test answers. */
function fixture(): {
  readonly requests: (readonly string[])[]
  readonly answers: PromiseWithResolvers<string>[]
  readonly batcher: RequestBatcher<string, string>
} {
  const [requests, answers]: [(readonly string[])[], PromiseWithResolvers<string>[]] = [[], []]
  const batcher = new RequestBatcher<string, string>((items) => {
    const answer = Promise.withResolvers<string>()
    requests.push(items)
    answers.push(answer)
    return answer.promise
  })
  return { requests, answers, batcher }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('items of one turn of the event loop go into one request, without duplicates', async () => {
  const { requests, answers, batcher } = fixture()
  const asked = ['a', 'b', 'a'].map((item) => batcher.request(item))
  await turn()
  answers[0]?.resolve('yes')
  assert.deepEqual([requests, await Promise.all(asked)], [[['a', 'b']], ['yes', 'yes', 'yes']])
})

test('items that arrive while a request is in flight go into the next one', async () => {
  const { requests, answers, batcher } = fixture()
  const first = batcher.request('a')
  await turn()
  const others = [batcher.request('a'), batcher.request('b')]
  await turn()
  assert.deepEqual(requests, [['a']])
  answers[0]?.resolve('first')
  assert.equal(await first, 'first')
  await turn()
  answers[1]?.resolve('second')
  assert.deepEqual(
    [await Promise.all(others), requests],
    [
      ['second', 'second'],
      [['a'], ['a', 'b']],
    ],
  )
})

test('an error of a request concerns the items of that request only', async () => {
  const { answers, batcher } = fixture()
  const asked = [batcher.request('a'), batcher.request('b')]
  await turn()
  const later = batcher.request('c')
  answers[0]?.reject(new Error('unreachable'))
  assert.deepEqual(
    (await Promise.allSettled(asked)).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await turn()
  answers[1]?.resolve('answer')
  assert.equal(await later, 'answer')
})
