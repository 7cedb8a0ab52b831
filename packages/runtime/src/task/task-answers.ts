import type { SourceTask } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import type { TaskAnswer, TaskQuestion } from './thread-protocol.ts'

/** The part of a source task that answers questions. */
export type AnsweringTask = Pick<SourceTask, 'snapshot' | 'signal'>

/** Answers until the source task exists: a question without an answer would wait for its limit. */
export const STARTING_TASK: AnsweringTask = {
  signal: () => {
    const reason = 'The task is starting, and does not read changes yet. Send the signal again'
    return Promise.resolve({ tag: 'unavailable', reason })
  },
}

/** The answer of a source task. Never rejects. */
export async function answerOf(task: AnsweringTask, question: TaskQuestion): Promise<TaskAnswer> {
  if (question.tag === 'snapshot') return { tag: 'snapshot', snapshot: task.snapshot?.() ?? null }
  if (task.signal === undefined) {
    return { tag: 'signal', result: { tag: 'invalid', reason: 'Connectors of this class have no signals.' } }
  }
  try {
    return { tag: 'signal', result: await task.signal(question.signal) }
  } catch (error) {
    const reason = `The signal failed: ${describeError(error)}`
    return { tag: 'signal', result: { tag: 'unavailable', reason } }
  }
}
