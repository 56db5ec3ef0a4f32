import type { Api } from '../engine/connection.ts';
import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import type { Failure } from '../../contract/failure.ts';
import type { Nearest } from '../../contract/meaning.ts';
import { withSendingEngine } from '../engine/engine-connector.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { toolFailed } from '../tool-failed.ts';

export interface SearchOptions {
  readonly text: string;
  readonly project: string;
  readonly model: string;
  /** Texts that have no vector yet get one first, which is billed. */
  readonly index?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Finds the takes of a project whose texts are nearest in meaning. */
export async function searchTakes(session: Session, options: SearchOptions): Promise<ExitStatus> {
  const { shell } = session;
  const { text, model, limit = 10, yes: isAgreed = false } = options;
  const found = await withSendingEngine(session, 'dailies search', async ({ api }): Promise<Nearest> => {
    const { project } = await api.projects.open({ path: resolve(shell.cwd, options.project) });
    const projectId = project.id;
    if (options.index === true) {
      const failure = await indexAll(session, api, { projectId, model, isAgreed });
      if (failure) return { type: 'failed', failure };
    }
    return api.tools.nearest({ projectId, model, text, limit: Math.min(limit, 1000), isAgreed });
  });
  if (found.type === 'failed') return toolFailed(session, found.failure);
  const { takes, status } = found;
  if (options.json === true) {
    for (const { take, score } of takes) shell.stdout.write(jsonLine({ type: 'take', score, ...take }));
    return exitStatus.saved;
  }
  const rows = takes.map(({ take, score }) => [
    score.toFixed(3),
    shortText(take.batch, 24),
    plainText(take.shot),
    String(take.take),
    shortText(take.prompt, 60),
    plainText(take.files[0] ?? ''),
  ]);
  const print = printTo(session);
  const titles = ['cli.score', 'cli.batch', 'cli.shot', 'cli.take', 'cli.prompt', 'cli.file'] as const;
  const columns = titles.map((title) => ({ title: say(title) }));
  if (takes.length > 0) for (const line of tableLines(columns, rows)) print(line);
  print(say('cli.found', { count: takes.length, indexed: status.indexed, texts: status.texts }));
  if (status.indexed < status.texts) print(say('cli.indexOthers'));
  return exitStatus.saved;
}

async function indexAll(
  session: Session,
  { tools }: Api,
  request: Parameters<Api['tools']['index']>[0],
): Promise<Failure | null> {
  for (;;) {
    const step = await tools.index(request);
    if (step.type === 'failed') return step.failure;
    if (step.indexed >= step.texts) return null;
    session.shell.stderr.write(`${say('cli.indexed', { indexed: step.indexed, texts: step.texts })}\n`);
  }
}
