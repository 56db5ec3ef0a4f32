import type { LeftOut } from '../../contract/project.ts';
import type { ExportProgress } from '../../contract/review.ts';
import { RefusedError } from '../../engine/base/errors.ts';

type Copying = AsyncGenerator<
  { readonly files: number; readonly ofFiles: number; readonly bytes: number; readonly ofBytes: number },
  { readonly folder: string; readonly files: number; readonly leftOut?: LeftOut },
  undefined
>;

/** Reports the progress of an export until it is done or the listener leaves; then it removes its copies. */
export async function* forwardExport(
  copying: Copying,
  gone: AbortSignal,
): AsyncGenerator<ExportProgress, void, undefined> {
  try {
    while (!gone.aborted) {
      const { done, value } = await copying.next();
      if (done) {
        yield { type: 'done', ...value };
        return;
      }
      yield { type: 'copied', ...value };
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    yield { type: 'failed', message: error.text, remedy: error.remedy };
  } finally {
    await copying.return({ folder: '', files: 0 });
  }
}
