import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { verifyPath } from '../../engine/projects/verify-path.ts';
import type { FileTrouble } from '../../engine/projects/verify-project.ts';
import { exitStatus, InterruptedError, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { progressLine } from '../output/list.ts';
import { printTo, type Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';

const VERIFY = [word('[PATH]', 'cli.argVerify'), word('--project <dir>', 'cli.optVerifyProject'), JSON_LINES] as const;
type VerifyOptions = Given<typeof VERIFY>;

export const verbs = [verb('verify', 'cli.helpVerify', VERIFY, verify)];

/** The most files to name; more would only hide the first. */
const NAMED = 100;

async function verify(session: Session, { json = false, ...options }: VerifyOptions): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const folder = resolve(shell.cwd, pathIn(options));
  const print = printTo(session);
  const line = progressLine(shell);
  let troubles = 0;
  const tell = ({ file, problem, reason }: FileTrouble): void => {
    troubles += 1;
    if (json) shell.stdout.write(jsonLine({ type: 'trouble', file, problem, ...(reason !== undefined && { reason }) }));
    else if (troubles <= NAMED) {
      line.clear();
      print(say('cli.verifyTrouble', { file: plainText(file), problem, reason: plainText(reason ?? '') }));
    }
  };
  try {
    const verifying = verifyPath(folder, interrupted);
    for (;;) {
      const { done, value } = await verifying.next();
      if (!done) {
        if (value.type === 'trouble') tell(value);
        else line.show(() => say('cli.verifyProgress', { files: value.files, bytes: bytesForPeople(value.bytes) }));
        continue;
      }
      line.clear();
      const { files, bytes, emptied, by } = value;
      if (files + emptied === 0)
        throw new UsageError(say('cli.nothingToVerify', { path: folder }), say('cli.nothingToVerifyRemedy'));
      if (json) shell.stdout.write(jsonLine({ type: 'verified', folder, by, files, bytes, emptied, troubles }));
      else {
        if (troubles > NAMED) print(say('projects.verifyMore', { count: troubles - NAMED }));
        if (emptied > 0) print(say('projects.verifyEmptied', { count: emptied }));
        print(say('cli.verified', { by, files, bytes: bytesForPeople(bytes), troubles }));
      }
      return troubles > 0 ? exitStatus.failed : exitStatus.saved;
    }
  } catch (error) {
    line.clear();
    if (interrupted.aborted) throw new InterruptedError();
    throw error;
  }
}

function pathIn({ path, project }: VerifyOptions): string {
  const wanted = path ?? project;
  if (wanted !== undefined && (path === undefined || project === undefined)) return wanted;
  throw new UsageError(say('cli.verifyWhat'), say('cli.verifyWhatRemedy'));
}
