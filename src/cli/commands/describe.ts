import { say } from '../../contract/messages/words.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Describer, DescribeRequest } from '../../contract/describe.ts';
import { withSendingEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed } from '../job-ids.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { viewDataFolder } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';
import { toolFailed } from '../tool-failed.ts';

export interface DescribeOptions {
  /** A file, or the id of a take. */
  readonly picture: string;
  readonly with: Describer;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Describes a still in words. Each description is one billed call. */
export async function describePicture(session: Session, options: DescribeOptions): Promise<ExitStatus> {
  const request = {
    picture: pictureNamed(session, options.picture),
    describer: options.with,
    isAgreed: options.yes === true,
  };
  const described = await withSendingEngine(session, 'dailies describe', async ({ api: { tools } }) => {
    const answer = await tools.describe(request);
    if (answer.type === 'failed') return answer;
    for (const text of answer.texts) {
      if (options.json === true) session.shell.stdout.write(jsonLine({ type: 'description', text }));
      else printTo(session)(plainText(text));
    }
    await tools.used({ callId: answer.callId });
    return answer;
  });
  return described.type === 'failed' ? toolFailed(session, described.failure) : exitStatus.saved;
}

function pictureNamed({ dataFolder, shell }: Session, text: string): DescribeRequest['picture'] {
  const path = resolve(shell.cwd, text);
  if (existsSync(path)) return { path };
  return viewDataFolder(dataFolder, (view) => {
    const named = jobNamed(text, (id) => view?.jobs.list({ ids: [id] }) ?? []);
    if (named.ok) return { takeId: named.job.id, output: 1 };
    throw new UsageError(say('cli.noPicture', { path, text: plainText(text) }), say('cli.noPictureRemedy'));
  });
}
