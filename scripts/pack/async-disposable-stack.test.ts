import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Stack } from './async-disposable-stack.ts'

// Node 24's own is what ours has to be like: both go through the same table.
type Kind = Omit<Stack, 'move'> & { move(): AsyncDisposable }

const kinds: readonly (readonly [name: string, create: () => Kind])[] = [
  ['the one of Node 24', () => new AsyncDisposableStack()],
  ['ours', () => new Stack()],
]

for (const [name, create] of kinds) {
  suite(name, () => {
    test('disposes of all in reverse order, each when the one before is done', async () => {
      const stack = create()
      const said: string[] = []
      const later = async (text: string): Promise<void> => {
        await Promise.resolve()
        said.push(text)
      }
      const first = { [Symbol.asyncDispose]: () => later('first') }
      assert.equal(stack.use(first), first)
      assert.equal(stack.use(null), null)
      stack.use({ [Symbol.dispose]: () => said.push('second') })
      stack.defer(() => later('third'))
      await stack.disposeAsync()
      await stack.disposeAsync()
      assert.deepEqual(said, ['third', 'second', 'first'])
    })

    test('disposes of the rest when one fails, and fails with that', async () => {
      const stack = create()
      const said: string[] = []
      stack.defer(() => said.push('first'))
      stack.defer(() => Promise.reject(new Error('it broke')))
      await assert.rejects(stack.disposeAsync(), { message: 'it broke' })
      assert.deepEqual(said, ['first'])
    })

    test('has nothing to dispose of when all has moved to another', async () => {
      const stack = create()
      const said: string[] = []
      stack.defer(() => said.push('moved'))
      const moved = stack.move()
      await stack.disposeAsync()
      assert.deepEqual(said, [])
      await moved[Symbol.asyncDispose]()
      assert.deepEqual(said, ['moved'])
    })
  })
}
