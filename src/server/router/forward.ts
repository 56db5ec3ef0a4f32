import { MAX_TROUBLES, type VerifyNews } from '../../contract/project.ts';
import type { ExportProgress } from '../../contract/review.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import type { Engine } from '../../engine/engine.ts';

/** Reports the progress of an export until it is done or the listener leaves; then it removes its copies. */
export const forwardExport = (
  copying: ReturnType<Engine['projects']['export']> | ReturnType<Engine['review']['export']>,
  left: AbortSignal,
): AsyncGenerator<ExportProgress, void, undefined> =>
  forward<Copied, Exported, ExportProgress>(
    copying,
    left,
    (copied) => ({ type: 'copied', ...copied }),
    (exported) => ({ type: 'done', ...exported }),
  );

type Copied = Omit<Extract<ExportProgress, { type: 'copied' }>, 'type'>;
type Exported = Omit<Extract<ExportProgress, { type: 'done' }>, 'type'>;

/** Reports the progress of a check and what it finds; at its end, calls `missing` with the takes that miss a file. */
export function forwardVerify(
  verifying: ReturnType<Engine['views']['verify']>,
  left: AbortSignal,
  missing: (takeIds: readonly string[]) => Promise<void>,
): AsyncGenerator<VerifyNews, void, undefined> {
  const incomplete = new Set<string>();
  let troubles = 0;
  return forward(
    verifying,
    left,
    (news): VerifyNews | null => {
      if (news.type === 'checked') return news;
      troubles += 1;
      if (news.problem === 'missing') incomplete.add(news.takeId);
      return troubles <= MAX_TROUBLES ? news : null;
    },
    async (verified): Promise<VerifyNews> => {
      await missing([...incomplete]);
      return { type: 'done', ...verified, troubles };
    },
  );
}

type Failed = Extract<ExportProgress, { type: 'failed' }>;

/** Reports what a generator yields and returns, or why it is refused. Closes it when the listener leaves. */
async function* forward<Step, Result, News>(
  steps: AsyncGenerator<Step, Result, undefined>,
  left: AbortSignal,
  step: (step: Step) => News | null,
  end: (result: Result) => News | Promise<News>,
): AsyncGenerator<News | Failed, void, undefined> {
  try {
    while (!left.aborted) {
      const { done, value } = await steps.next();
      if (done) {
        yield await end(value);
        return;
      }
      const news = step(value);
      if (news !== null) yield news;
    }
  } catch (error) {
    if (left.aborted) return;
    if (!(error instanceof RefusedError)) throw error;
    yield { type: 'failed', message: error.text, remedy: error.remedy };
  } finally {
    await steps.return(undefined as never);
  }
}
