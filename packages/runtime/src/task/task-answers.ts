import type { SourceTask } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import type { TaskAnswer, TaskQuestion } from './thread-protocol.ts'

/** The answer of a source task. Never rejects. */
export async function answerOf(
  task: Pick<SourceTask, 'snapshot' | 'signal'>,
  question: TaskQuestion,
): Promise<TaskAnswer> {
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
