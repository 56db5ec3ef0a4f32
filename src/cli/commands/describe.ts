import { say } from '../../contract/messages/words.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Describer, type DescribeRequest } from '../../contract/describe.ts';
import { withSendingEngine } from '../connect.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed } from '../named.ts';
import { printOne, toolFailed } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { viewDataFolder } from '../look.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';

const DESCRIBE = [
  word('<PICTURE>', 'cli.argPicture'),
  word('--with <family>', 'cli.optWith', { choices: Describer.options, required: true }),
  JSON_LINES,
  word('--yes', 'cli.optYesAgain'),
] as const;

export const verbs = [verb('describe', 'cli.helpDescribe', DESCRIBE, describePicture)];

/** Describes a still in words. Each description is one billed call. */
async function describePicture(session: Session, options: Given<typeof DESCRIBE>): Promise<ExitStatus> {
  const request = {
    picture: pictureNamed(session, options.picture),
    describer: options.with,
    isAgreed: options.yes === true,
  };
  const described = await withSendingEngine(session, 'dailies describe', async ({ api: { tools } }) => {
    const answer = await tools.describe(request);
    if (answer.type === 'failed') return answer;
    for (const text of answer.texts) {
      printOne(session, options.json, { type: 'description', text }, plainText(text));
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
    const named = jobNamed(text, (id) => view.queries.list({ ids: [id] }));
    if (named.ok) return { takeId: named.job.id, output: 1 };
    throw new UsageError(say('cli.noPicture', { path, text: plainText(text) }), say('cli.noPictureRemedy'));
  });
}
