import { say } from '../contract/messages/words.ts';
import { resolve } from 'node:path';
import type { OutsideFile } from '../contract/batch.ts';
import { AgreementStore } from '../engine/db/agreement-store.ts';
import { outsideFiles } from '../engine/library/outside-files.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import type { ProjectView } from './look.ts';
import { MOST_FILES } from './output/words.ts';
import type { ReadList, RunOptions } from './read-list.ts';
import { type Session, quoted } from './session.ts';
import { agree } from './shell.ts';

export async function filesToAgreeTo(
  session: Session,
  options: Pick<RunOptions, 'project' | 'allowFile'>,
  { list, seen }: { readonly list: ReadList; readonly seen: ProjectView },
): Promise<OutsideFile[]> {
  const { listFolder, checked } = list;
  const folder = resolve(session.shell.cwd, options.project);
  const named = await Promise.all([folder, listFolder].map(realPath));
  const allowed = await allowedPaths(session, options);
  const { view, project } = seen;
  const before = project ? new AgreementStore(view.db).of(project.id) : [];
  return outsideFiles(checked.shots, listFolder, [...named, ...allowed, ...before]);
}

const allowedPaths = ({ shell }: Session, { allowFile = [] }: Pick<RunOptions, 'allowFile'>): Promise<string[]> =>
  Promise.all(allowFile.map((path) => realPath(resolve(shell.cwd, path))));

/**
 * Asks the person to agree to send files from outside. Resolves to the real paths agreed to. Throws UsageError, before
 * anything is stored, if the person does not agree.
 */
export async function agreeToSend(
  session: Session,
  options: Pick<RunOptions, 'allowFile'>,
  outside: readonly OutsideFile[],
): Promise<string[]> {
  const { shell } = session;
  const allowed = await allowedPaths(session, options);
  if (outside.length === 0) return allowed;
  const flags = outside.slice(0, MOST_FILES).map(({ path }) => `--allow-file ${quoted(path)}`);
  const refusal = [say('cli.outsideProblem'), say('cli.outsideRemedy', { flags: flags.join(' ') })] as const;
  const question = say('cli.outsideQuestion', { count: outside.length });
  await agree(shell, { question, refusal, declined: refusal });
  return [...allowed, ...outside.map(({ path }) => path)];
}
