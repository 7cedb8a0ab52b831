import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Stack } from './async-disposable-stack.ts'

// Both Node 24's implementation and ours pass the same tests.
type Kind = Omit<Stack, 'move'> & { move(): AsyncDisposable }

const kinds: readonly (readonly [name: string, create: () => Kind])[] = [
  ['the implementation of Node 24', () => new AsyncDisposableStack()],
  ['our implementation', () => new Stack()],
]

for (const [name, create] of kinds) {
  suite(name, () => {
    test('disposes of all resources in reverse order, one after the other', async () => {
      const stack = create()
      const disposed: string[] = []
      const later = async (text: string): Promise<void> => {
        await Promise.resolve()
        disposed.push(text)
      }
      const first = { [Symbol.asyncDispose]: () => later('first') }
      assert.equal(stack.use(first), first)
      assert.equal(stack.use(null), null)
      stack.use({ [Symbol.dispose]: () => disposed.push('second') })
      stack.defer(() => later('third'))
      await stack.disposeAsync()
      await stack.disposeAsync()
      assert.deepEqual(disposed, ['third', 'second', 'first'])
    })

    test('disposes of the others when one fails, and rejects with its error', async () => {
      const stack = create()
      const disposed: string[] = []
      stack.defer(() => disposed.push('first'))
      stack.defer(() => Promise.reject(new Error('failed')))
      await assert.rejects(stack.disposeAsync(), { message: 'failed' })
      assert.deepEqual(disposed, ['first'])
    })

    test('is empty after its resources have moved to another stack', async () => {
      const stack = create()
      const disposed: string[] = []
      stack.defer(() => disposed.push('moved'))
      const moved = stack.move()
      await stack.disposeAsync()
      assert.deepEqual(disposed, [])
      await moved[Symbol.asyncDispose]()
      assert.deepEqual(disposed, ['moved'])
    })
  })
}
