import type { Api } from '../engine.ts';
import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import type { Failure } from '../../contract/failure.ts';
import type { Nearest } from '../../contract/meaning.ts';
import { withSendingEngine } from '../connect.ts';
import type { ExitStatus } from '../exit.ts';
import { columnsOf, printList, toolFailed } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { count, JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';

const SEARCH = [
  word('<TEXT>', 'cli.argSearchText'),
  OF_PROJECT,
  word('--model <id>', 'cli.optEmbeddingModel', { required: true }),
  // Texts that have no vector yet get one first, which is billed.
  word('--index', 'cli.optIndex'),
  word('--limit <n>', 'cli.optLimit', { parse: count }),
  JSON_LINES,
  word('--yes', 'cli.optYesAgain'),
] as const;

export const verbs = [verb('search', 'cli.helpSearch', SEARCH, searchTakes)];

async function searchTakes(session: Session, options: Given<typeof SEARCH>): Promise<ExitStatus> {
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
  return printList(session, options.json, {
    type: 'take',
    rows: takes,
    object: ({ take, score }) => ({ score, ...take }),
    columns: columnsOf('cli.score', 'cli.batch', 'cli.shot', 'cli.take', 'cli.prompt', 'cli.file'),
    cells: ({ take: { batch, shot, take, prompt, files }, score }) => [
      ...[score.toFixed(3), shortText(batch, 24), plainText(shot), String(take)],
      ...[shortText(prompt, 60), plainText(files[0] ?? '')],
    ],
    below: [
      say('cli.found', { count: takes.length, indexed: status.indexed, texts: status.texts }),
      status.indexed < status.texts ? say('cli.indexOthers') : '',
    ],
  });
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
