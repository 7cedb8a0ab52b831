import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JoinedQuestions } from './joined-questions.ts'

/** Requests that a test answers. */
function fixture(): {
  readonly requests: (readonly string[])[]
  readonly answers: PromiseWithResolvers<string>[]
  readonly questions: JoinedQuestions<string, string>
} {
  const [requests, answers]: [(readonly string[])[], PromiseWithResolvers<string>[]] = [[], []]
  const questions = new JoinedQuestions<string, string>((items) => {
    const answer = Promise.withResolvers<string>()
    requests.push(items)
    answers.push(answer)
    return answer.promise
  })
  return { requests, answers, questions }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what is asked in one turn is one request, without repeats', async () => {
  const { requests, answers, questions } = fixture()
  const asked = ['a', 'b', 'a'].map((item) => questions.ask(item))
  await turn()
  answers[0]?.resolve('yes')
  assert.deepEqual([requests, await Promise.all(asked)], [[['a', 'b']], ['yes', 'yes', 'yes']])
})

test('what is asked while a request is under way waits for it and goes with the next one', async () => {
  const { requests, answers, questions } = fixture()
  const first = questions.ask('a')
  await turn()
  const others = [questions.ask('a'), questions.ask('b')]
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

test('a request that fails fails for all that were part of it, and for nobody else', async () => {
  const { answers, questions } = fixture()
  const asked = [questions.ask('a'), questions.ask('b')]
  await turn()
  const later = questions.ask('c')
  answers[0]?.reject(new Error('away'))
  assert.deepEqual(
    (await Promise.allSettled(asked)).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await turn()
  answers[1]?.resolve('here')
  assert.equal(await later, 'here')
})
