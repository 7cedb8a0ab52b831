import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_WORK, type Work } from '../protocol/work.ts'
import { NO_MEMORY, type AssignorInput, type AssignorMember } from './assignor.ts'
import { assignIncrementally } from './incremental-assignor.ts'

/** `a b0 b1`: the connector a, and two tasks of the connector b. */
function work(text: string): Work {
  const words = text.split(' ').filter((word) => word !== '')
  return {
    connectors: words.filter((word) => !/\d/.test(word)),
    tasks: words
      .filter((word) => /\d/.test(word))
      .map((word) => ({ connector: word.slice(0, 1), task: Number(word.slice(1)) })),
  }
}

function text({ connectors, tasks }: Work): string {
  return [...connectors, ...tasks.map(({ connector, task }) => `${connector}${task}`)].join(' ')
}

function member(worker: string, running: string, more: Partial<AssignorMember> = {}): AssignorMember {
  return { memberId: `id of ${worker}`, worker, running: work(running), loads: null, isLeaving: false, ...more }
}

function input(
  configured: string,
  members: readonly AssignorMember[],
  more: Partial<AssignorInput> = {},
): AssignorInput {
  return { members, configured: work(configured), memory: NO_MEMORY, nowMs: 0, maxDelayMs: 0, ...more }
}

/** What each member starts and stops: `+a b0 -c`. */
function outcome(given: AssignorInput): Readonly<Record<string, string>> {
  const { assignments } = assignIncrementally(given)
  return Object.fromEntries(
    given.members.map(({ memberId, worker }) => {
      const { assigned = NO_WORK, revoked = NO_WORK } = assignments.get(memberId) ?? {}
      return [
        worker,
        [
          ...text(assigned)
            .split(' ')
            .map((each) => each && `+${each}`),
          ...text(revoked)
            .split(' ')
            .map((each) => each && `-${each}`),
        ]
          .join(' ')
          .trim(),
      ]
    }),
  )
}

const cases: readonly (readonly [name: string, given: AssignorInput, expected: Readonly<Record<string, string>>])[] = [
  ['the first worker gets everything', input('a b a0 b0', [member('A', '')]), { A: '+a +b +a0 +b0' }],
  [
    'two workers share it, and a task goes to the worker of its connector',
    input('a b a0 b0', [member('A', ''), member('B', '')]),
    { A: '+a +a0', B: '+b +b0' },
  ],
  [
    'a second worker gets nothing yet: what will be its is revoked first',
    input('a b a0 b0', [member('A', 'a b a0 b0'), member('B', '')]),
    { A: '-b -b0', B: '' },
  ],
  [
    'what was revoked is assigned in the next rebalance',
    input('a b a0 b0', [member('A', 'a a0'), member('B', '')]),
    { A: '', B: '+b +b0' },
  ],
  [
    'a balanced group is left alone',
    input('a b c a0 b0 c0', [member('A', 'a b a0'), member('B', 'c b0 c0')]),
    { A: '', B: '' },
  ],
  ['what no longer exists is revoked', input('a a0', [member('A', 'a a0 b b0')]), { A: '-b -b0' }],
  [
    'what two workers run is revoked from both',
    input('a b a0 b0', [member('A', 'a a0'), member('B', 'a b b0')]),
    { A: '-a', B: '-a' },
  ],
  [
    'a worker that leaves gives up everything, and gets nothing',
    input('a b a0 b0', [member('A', 'a a0', { isLeaving: true }), member('B', 'b b0'), member('C', '')]),
    { A: '-a -a0', B: '', C: '' },
  ],
  [
    'nobody gets a connector whose plug-in it does not have',
    input('a b a0 b0', [member('A', ''), member('J', '', { canRun: () => false })]),
    { A: '+a +b +a0 +b0', J: '' },
  ],
  [
    'an item without any able member is assigned to nobody',
    input('a a0', [member('J', '', { canRun: () => false })]),
    { J: '' },
  ],
  [
    'workers with different plug-ins share what both can run so that the rest is balanced',
    // B can run only b and c: A keeps a and d, and B gets both.
    input('a b c d', [member('A', ''), member('B', '', { canRun: (connector) => 'bc'.includes(connector) })]),
    { A: '+a +d', B: '+b +c' },
  ],
]

for (const [name, given, expected] of cases) test(name, () => assert.deepEqual(outcome(given), expected))

test('the work of a lost worker is assigned at once without a delay', () => {
  const { memory } = assignIncrementally(input('a b a0 b0', [member('A', ''), member('B', '')]))
  assert.deepEqual(outcome(input('a b a0 b0', [member('A', 'a a0')], { memory })), { A: '+b +b0' })
})

test('with a delay it waits, and is assigned when the delay is over', () => {
  const first = assignIncrementally(input('a b a0 b0', [member('A', ''), member('B', '')]))
  const alone = [member('A', 'a a0')]
  const lost = input('a b a0 b0', alone, { memory: first.memory, nowMs: 1_000, maxDelayMs: 30_000 })
  assert.deepEqual(outcome(lost), { A: '' })
  const waiting = assignIncrementally(lost)
  assert.equal(waiting.delayMs, 30_000)
  assert.equal(text(waiting.unassigned.waiting), 'b b0')
  const later = { ...lost, memory: waiting.memory, nowMs: 21_000 }
  assert.equal(assignIncrementally(later).delayMs, 10_000)
  const due = { ...lost, memory: assignIncrementally(later).memory, nowMs: 31_000 }
  assert.deepEqual(outcome(due), { A: '+b +b0' })
  assert.equal(assignIncrementally(due).delayMs, 0)
})

test('a worker that returns gets its work back before the delay is over', () => {
  const first = assignIncrementally(input('a b a0 b0', [member('A', ''), member('B', '')]))
  const lost = input('a b a0 b0', [member('A', 'a a0')], { memory: first.memory, maxDelayMs: 30_000 })
  const { memory } = assignIncrementally(lost)
  const returned = [member('A', 'a a0'), member('B', '', { memberId: 'another id' })]
  const given = { ...lost, members: returned, memory, nowMs: 5_000 }
  assert.deepEqual(outcome(given), { A: '', B: '+b +b0' })
  assert.equal(assignIncrementally(given).delayMs, 0)
})

test('during a delay nothing is moved for the balance, but new connectors start', () => {
  const first = assignIncrementally(input('a b c a0 b0 c0', [member('A', ''), member('B', '')]))
  const members = [member('A', 'a c a0 c0'), member('D', '')]
  const given = input('a b c d a0 b0 c0 d0', members, { memory: first.memory, maxDelayMs: 30_000 })
  assert.deepEqual(outcome(given), { A: '', D: '+d +d0' })
})

test('a new leader, which does not know who had what, assigns lost work at once', () => {
  const given = input('a b a0 b0', [member('A', 'a a0'), member('C', '')], { maxDelayMs: 300_000 })
  assert.deepEqual(outcome(given), { A: '', C: '+b +b0' })
})

const MB = 1_000_000

function loaded(worker: string, running: string, loads: Readonly<Record<string, number>>): AssignorMember {
  const { tasks } = work(running)
  return member(worker, running, {
    loads: tasks.map((each) => ({ ...each, bytesPerSecond: (loads[`${each.connector}${each.task}`] ?? 0) * MB })),
  })
}

test('two busy tasks on one worker are separated, by an exchange with the lightest one', () => {
  const loads = { a0: 30, b0: 20, c0: 1, d0: 2 }
  const members = [loaded('A', 'a b a0 b0', loads), loaded('B', 'c d c0 d0', loads)]
  assert.deepEqual(outcome(input('a b c d a0 b0 c0 d0', members)), { A: '-b0', B: '-c0' })
})

test('a small gain interrupts no task', () => {
  const loads = { a0: 30, b0: 3, c0: 26, d0: 2 }
  const members = [loaded('A', 'a b a0 b0', loads), loaded('B', 'c d c0 d0', loads)]
  assert.deepEqual(outcome(input('a b c d a0 b0 c0 d0', members)), { A: '', B: '' })
})

test('loads do not count as long as one member does not report them', () => {
  const loads = { a0: 30, b0: 20, c0: 1, d0: 2 }
  const members = [loaded('A', 'a b a0 b0', loads), member('J', 'c d c0 d0')]
  assert.deepEqual(outcome(input('a b c d a0 b0 c0 d0', members)), { A: '', J: '' })
})

test('of the tasks of a full worker, those whose loads are balanced afterwards move to a new one', () => {
  const loads = { a0: 40, b0: 10, c0: 20, d0: 30 }
  const members = [loaded('A', 'a b c d a0 b0 c0 d0', loads), loaded('B', '', loads)]
  const { revoked } = assignIncrementally(input('a b c d a0 b0 c0 d0', members)).assignments.get('id of A') ?? {}
  const moved = (revoked?.tasks ?? []).reduce((sum, { connector }) => sum + (loads[`${connector}0` as 'a0'] ?? 0), 0)
  assert.equal(moved, 50)
})
