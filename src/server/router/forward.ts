import type { Text } from '../../contract/messages/message.ts';
import type { LeftOut, VerifyNews } from '../../contract/project.ts';
import { MOST_TROUBLES } from '../../contract/project.ts';
import type { ExportProgress } from '../../contract/review.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import type { VerifiedTakes, VerifyTakesProgress } from '../../engine/projects/verify-project.ts';

interface Copied {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
  readonly ofBytes: number;
}

interface Exported {
  readonly folder: string;
  readonly files: number;
  readonly leftOut?: LeftOut;
}

/** Reports the progress of an export until it is done or the listener leaves; then it removes its copies. */
export const forwardExport = (
  copying: AsyncGenerator<Copied, Exported, undefined>,
  gone: AbortSignal,
): AsyncGenerator<ExportProgress, void, undefined> =>
  forward(copying, gone, {
    step: (copied): ExportProgress => ({ type: 'copied', ...copied }),
    end: (exported): ExportProgress => ({ type: 'done', ...exported }),
  });

/** Reports the progress of a check and what it finds; at its end, calls `missing` with the takes that miss a file. */
export function forwardVerify(
  verifying: AsyncGenerator<VerifyTakesProgress, VerifiedTakes, undefined>,
  left: AbortSignal,
  missing: (takeIds: readonly string[]) => Promise<void>,
): AsyncGenerator<VerifyNews, void, undefined> {
  const incomplete = new Set<string>();
  let troubles = 0;
  return forward(verifying, left, {
    step(news): VerifyNews | null {
      if (news.type === 'checked') return news;
      troubles += 1;
      if (news.problem === 'missing') incomplete.add(news.takeId);
      return troubles <= MOST_TROUBLES ? news : null;
    },
    async end(verified): Promise<VerifyNews> {
      await missing([...incomplete]);
      return { type: 'done', ...verified, troubles };
    },
  });
}

interface Failed {
  readonly type: 'failed';
  readonly message: Text;
  readonly remedy: Text;
}

interface Reports<Step, Result, News> {
  readonly step: (step: Step) => News | null;
  readonly end: (result: Result) => News | Promise<News>;
}

/** Reports what a generator yields and returns, or why it is refused. Closes it when the listener leaves. */
async function* forward<Step, Result, News>(
  steps: AsyncGenerator<Step, Result, undefined>,
  left: AbortSignal,
  { step, end }: Reports<Step, Result, News>,
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
